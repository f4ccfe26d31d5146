-- What is wrong with a profile of C_GetAttributeValue, by jcprof query: a line each, none where all is well.
WITH
  newest AS (SELECT * FROM estimate WHERE run = (SELECT max(id) FROM run)),
  sums AS (
    SELECT
      sum(CASE scope WHEN 'total' THEN ticks END) AS total,
      sum(CASE WHEN scope IN ('entry', 'between', 'line', 'unattributed') THEN ticks END) AS parts,
      sum(CASE scope WHEN 'unattributed' THEN abs(raw) END) AS unattributed,
      min(CASE scope WHEN 'block' THEN raw END) AS least
    FROM newest),
  reached AS (SELECT count(*) AS stops, count(DISTINCT trap) AS traps FROM path),
  -- From what the TA does first to the search through a key's attributes, which takes the most. Some have but twenty
  -- instructions of their own, and four rounds do not tell those from what a round leaves open; with their calls they do.
  wanted(name) AS (VALUES ('entry_get_attribute_value'), ('serialargs_get_session_from_handle'), ('alloc_and_get'),
    ('check_access_attrs_against_token'), ('attribute_is_exportable'), ('get_attribute'), ('get_attribute_ptrs'))
SELECT 'it counts ' || unit || ', and is not complete' AS fault FROM run WHERE unit <> 'instructions' OR state <> 'complete'
UNION ALL
SELECT stops || ' stops at ' || traps || ' traps are too few' FROM reached WHERE stops < 500 OR traps < 200
UNION ALL
SELECT 'no time for ' || name FROM wanted
WHERE NOT EXISTS (SELECT 1 FROM function WHERE function = name AND inclusive_low > 0)
UNION ALL
SELECT 'get_attribute_ptrs takes less than half' WHERE NOT EXISTS (SELECT 1 FROM function WHERE function = 'get_attribute_ptrs' AND share > 0.5)
UNION ALL
SELECT 'the parts sum to ' || parts || ', the whole is ' || total FROM sums WHERE abs(parts - total) > 1e-6 * total
UNION ALL
SELECT unattributed || ' of ' || total || ' are unattributed' FROM sums WHERE unattributed > 0.01 * total
UNION ALL
-- A stop that came earlier than the one before it was made on what another had left.
SELECT 'a block takes ' || least || ' of ' || total FROM sums WHERE least < -0.01 * total
UNION ALL
SELECT outcome || ' where stops belong' FROM sample WHERE outcome NOT IN ('stopped', 'ended') OR (outcome = 'ended') <> (trap = 0)
UNION ALL
SELECT 'the command answers ' || status FROM sample WHERE outcome = 'ended' AND status <> 0
