-- What scripts/corpus says of a profile: one row, one column.
SELECT 'measured twice alike: ' || (SELECT count(*) FROM sample WHERE outcome = 'stopped') || ' stops at '
  || (SELECT count(DISTINCT trap) FROM path) || ' traps; of ' || CAST(round(total.ticks) AS INTEGER) || ' ' || run.unit || ' '
  || (SELECT CAST(round(sum(exclusive)) AS INTEGER) || ' in ' || count(*) FROM function) || ' functions, '
  || (SELECT CAST(round(exclusive) AS INTEGER) || ' of these in ' || function FROM function ORDER BY exclusive DESC LIMIT 1) AS figures
FROM estimate AS total JOIN run ON run.id = total.run WHERE total.scope = 'total' ORDER BY run.id DESC LIMIT 1
