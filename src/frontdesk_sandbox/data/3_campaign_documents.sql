CREATE TABLE campaign_documents(number INTEGER PRIMARY KEY, json TEXT);
INSERT INTO campaign_documents SELECT number, json FROM campaigns;
UPDATE campaigns SET workflow=json_extract(json, '$.workflowId') WHERE workflow IS NULL;
ALTER TABLE campaigns DROP COLUMN json;
