-- A fixed workload: every answer is ordered, and nothing asks for time or chance.
.headers on
.mode list
PRAGMA foreign_keys = ON;
CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
CREATE TABLE book(
  id INTEGER PRIMARY KEY, author INTEGER NOT NULL REFERENCES author ON DELETE CASCADE, title TEXT, price REAL CHECK(price >= 0),
  tags TEXT, pages INT, cents INT GENERATED ALWAYS AS (CAST(price * 100 AS INT)) STORED);
CREATE TABLE log(line TEXT);
CREATE TRIGGER sold AFTER DELETE ON book BEGIN INSERT INTO log VALUES('sold ' || old.title); END;

BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
  INSERT INTO author SELECT i, printf('Author %03d', i * 37 % 101) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
  INSERT INTO book(id, author, title, price, tags, pages)
  SELECT i, i * 7 % 50 + 1, 'Title ' || hex(i * 7919 % 4093), i * 13 % 997 / 10.0,
         json_array(i % 3, 'tag' || i % 11), CASE WHEN i % 17 = 0 THEN NULL ELSE i % 600 END FROM n;
COMMIT;
CREATE INDEX book_author ON book(author, price DESC);
CREATE INDEX book_long ON book(pages) WHERE pages > 400;
CREATE VIEW dear AS SELECT name, title, price FROM book JOIN author ON author.id = book.author WHERE price > 90;
ANALYZE;

SELECT count(*), sum(cents), round(avg(price), 6), min(title), max(title) FROM book;
SELECT name, count(*) AS books, round(total(price), 2) FROM author LEFT JOIN book ON book.author = author.id
  GROUP BY author.id HAVING books > 38 ORDER BY books DESC, name LIMIT 7;
SELECT author, title, price, rank() OVER w, round(sum(price) OVER (w ROWS 2 PRECEDING), 2), lag(title) OVER w
  FROM book WHERE author < 4 WINDOW w AS (PARTITION BY author ORDER BY price DESC, id) ORDER BY author, price DESC, book.id LIMIT 20;
SELECT value, count(*) FROM book, json_each(book.tags) GROUP BY value ORDER BY 2 DESC, 1;
SELECT json_extract(json_set(json_object('a', 1, 'b', json('[1,2]')), '$.b[1]', 'x'), '$.b'), json_group_array(id)
  FROM (SELECT id FROM author ORDER BY id LIMIT 5);
SELECT * FROM dear ORDER BY price DESC, title LIMIT 5;
SELECT id FROM book WHERE pages > 500 INTERSECT SELECT id FROM book WHERE price < 20 EXCEPT SELECT 700 ORDER BY 1 LIMIT 10;
SELECT title FROM book WHERE title LIKE '%F_' AND title GLOB '*[0-9]F[A-F]*' ORDER BY title LIMIT 5;
SELECT group_concat(distinct pages % 10) FROM (SELECT pages FROM book WHERE pages IS NOT NULL ORDER BY pages % 10);
SELECT typeof(1), typeof(1.5), typeof('x'), typeof(x'00'), typeof(NULL), 7 / 2, 7 % 3, 1 << 4, ~5, abs(-9223372036854775807),
  substr('abcdef', -3, 2), replace('banana', 'an', '<>'), trim('  x '), instr('haystack', 'st'), unicode('€'), quote(x'0aff'),
  printf('%08.3f|%-5s|%x|%,d', 3.14159, 'ab', 255, 1234567), round(sqrt(2) + sin(1), 12);
SELECT date('2024-02-29', '+1 year'), strftime('%W %j %s', '2020-12-31 12:34:56'), julianday('2000-01-01'), time('12:00', '-90 minutes');

CREATE VIRTUAL TABLE words USING fts5(body);
INSERT INTO words SELECT title || ' by ' || name || ' tagged ' || tags FROM book JOIN author ON author.id = book.author ORDER BY book.id;
SELECT count(*) FROM words WHERE words MATCH 'tag7 NOT 1';
SELECT rowid, snippet(words, 0, '[', ']', '…', 4) FROM words WHERE words MATCH '"tagged 0" OR tag3*' ORDER BY rowid LIMIT 5;
CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1, y0, y1);
INSERT INTO boxes SELECT id, price, price + 5, id % 100, id % 100 + 3 FROM book;
SELECT count(*), min(id), max(id) FROM boxes WHERE x0 > 10 AND x1 < 40 AND y0 > 20 AND y1 < 50;

SAVEPOINT before;
DELETE FROM book WHERE price > 80;
UPDATE book SET price = price * 1.1, title = upper(title) WHERE author IN (SELECT id FROM author WHERE name LIKE '%1');
INSERT INTO author(id, name) VALUES(1, 'again') ON CONFLICT(id) DO UPDATE SET name = excluded.name || '!' RETURNING id, name;
SELECT count(*), round(total(price), 2) FROM book;
SELECT count(*), min(line) FROM log;
ROLLBACK TO before;
RELEASE before;
SELECT count(*) FROM book;
INSERT INTO author(id, name) VALUES(2, 'nobody');
INSERT INTO book(author, price) VALUES(999, 1);
INSERT INTO book(author, price) VALUES(1, -1);
SELECT * FROM nowhere;
SELECT 1 +;
DELETE FROM author WHERE id = 3;
SELECT count(*) FROM book WHERE author = 3;
EXPLAIN QUERY PLAN SELECT * FROM book WHERE author = 5 AND price > 3 ORDER BY price DESC;
ALTER TABLE author RENAME COLUMN name TO called;
ALTER TABLE author ADD COLUMN born INT DEFAULT 1900;
SELECT sql FROM sqlite_schema WHERE name IN ('author', 'dear') ORDER BY name;
DROP VIEW dear;
VACUUM;
PRAGMA integrity_check;
.mode box
SELECT id, called, born FROM author WHERE id < 5 ORDER BY id;
.mode csv
SELECT id, title, tags FROM book WHERE id < 8 ORDER BY id;
.mode insert book
SELECT id, title, price FROM book WHERE id < 4 ORDER BY id;
.schema log
.dump log
