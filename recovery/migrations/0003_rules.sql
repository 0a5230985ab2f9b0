-- What clients may do in a person's own browser. '' is all sites; 0 never expires.
CREATE TABLE rules (
  browser TEXT NOT NULL,
  origin  TEXT NOT NULL,
  kind    TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('ask', 'always', 'never')),
  made    INTEGER NOT NULL,           -- Unix ns
  expires INTEGER NOT NULL,           -- Unix ns
  PRIMARY KEY (browser, origin, kind)
) STRICT;

-- The three switches for all sites that were there before.
INSERT INTO rules
SELECT substr(settings.key, length('policy:') + 1), '',
  CASE switch.key WHEN 'acts' THEN 'act' ELSE switch.key END, 'always', 0, 0
FROM settings, json_each(iif(json_valid(settings.value), settings.value, '{}')) AS switch
WHERE settings.key LIKE 'policy:%' AND switch.key IN ('acts', 'eval', 'reveal') AND switch.value = 1;
DELETE FROM settings WHERE key LIKE 'policy:%';
