-- The tables and policies of the relay between a team's desks (docs/team.md), in steps. `frontdesk team init` runs those
-- that a database lacks, in order, and functions.sql each time. A step is never changed; one after the first may run in a
-- database that has it. People's roles may read what their lines allow and call the functions; nothing else writes.

-- Version 1

CREATE SCHEMA frontdesk;

CREATE TABLE frontdesk.accounts (
    account text PRIMARY KEY CHECK (octet_length(account) BETWEEN 1 AND 50),  -- a channel's name has at most 63 bytes
    epoch uuid NOT NULL DEFAULT gen_random_uuid(),    -- another one after a restore: desks load everything again
    position bigint NOT NULL DEFAULT 0,               -- of the newest observation; its row is the lock of publications
    schema int NOT NULL DEFAULT 1,                    -- the database's version: of these steps and the functions
    min_reader int NOT NULL DEFAULT 1,                -- a desk of an older version works alone
    min_writer int NOT NULL DEFAULT 1,
    budget_per_minute int NOT NULL DEFAULT 120 CHECK (budget_per_minute BETWEEN 1 AND 100000),
    retention_days int NOT NULL DEFAULT 30 CHECK (retention_days >= 0)
);

-- Who may see what: a row for each line, '*' for all of them.
CREATE TABLE frontdesk.grants (
    account text NOT NULL REFERENCES frontdesk.accounts ON DELETE CASCADE,
    role name NOT NULL,
    line_id text NOT NULL,
    agent_id text NOT NULL DEFAULT '',
    may_poll boolean NOT NULL DEFAULT false,
    PRIMARY KEY (account, role, line_id)
);
CREATE INDEX grants_by_role ON frontdesk.grants (role, account);

CREATE TABLE frontdesk.desks (
    account text NOT NULL REFERENCES frontdesk.accounts ON DELETE CASCADE,
    desk text NOT NULL,                               -- the id that its store keeps
    role name NOT NULL,
    name text NOT NULL,
    version int NOT NULL,
    position bigint NOT NULL DEFAULT 0,               -- up to which it has read
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (account, desk),
    UNIQUE (account, name)
);

CREATE TABLE frontdesk.leader (
    account text PRIMARY KEY REFERENCES frontdesk.accounts ON DELETE CASCADE,
    token bigint NOT NULL,
    desk text NOT NULL,
    name text NOT NULL,
    until timestamptz NOT NULL
);

-- The last value of everything that was read, by the position of its last difference. The id of a message begins with
-- its conversation's, so that one is found with all its messages.
CREATE TABLE frontdesk.observed (
    account text NOT NULL REFERENCES frontdesk.accounts ON DELETE CASCADE,
    kind text NOT NULL,
    id text NOT NULL,
    line_id text NOT NULL,                            -- '' for what belongs to no line
    position bigint NOT NULL,
    asked_at float8 NOT NULL,                         -- when it was requested, Unix seconds of this server's clock
    token bigint NOT NULL,                            -- the leader's, or the claim's, by which it came
    digest text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (account, kind, id)
);
CREATE INDEX observed_by_position ON frontdesk.observed (account, position);
CREATE INDEX observed_by_age ON frontdesk.observed (account, asked_at) WHERE kind IN ('message', 'page', 'gone');

-- A row for each line with what the desk shows of its conversations, and one without a line for everything else.
CREATE UNLOGGED TABLE frontdesk.lookers (
    account text NOT NULL,
    desk text NOT NULL,
    agent_id text NOT NULL,
    name text NOT NULL,
    at timestamptz NOT NULL,
    line_id text NOT NULL,                            -- '' for what belongs to no line
    what text NOT NULL,                               -- JSON: what the desk's screens show
    PRIMARY KEY (account, desk, line_id)
);

CREATE TABLE frontdesk.claims (
    account text NOT NULL REFERENCES frontdesk.accounts ON DELETE CASCADE,
    target text NOT NULL,                             -- "task t-9"
    line_id text NOT NULL,                            -- where it was observed; '' if it wasn't
    token bigint NOT NULL,
    desk text NOT NULL,
    name text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (account, target)
);

-- What desks tell each other, as opposed to what the platform said: notes, read markers, shared views. A new version of
-- a row replaces the one before; nobody changes another's note.
CREATE TABLE frontdesk.shared (
    account text NOT NULL REFERENCES frontdesk.accounts ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('note', 'read', 'view')),
    id text NOT NULL,
    line_id text NOT NULL,
    position bigint NOT NULL,
    role name NOT NULL,
    agent_id text NOT NULL,
    at timestamptz NOT NULL,
    body text NOT NULL,                               -- JSON; '' for what was taken back
    PRIMARY KEY (account, kind, id)
);
CREATE INDEX shared_by_position ON frontdesk.shared (account, position);

CREATE TABLE frontdesk.journal (
    account text NOT NULL REFERENCES frontdesk.accounts ON DELETE CASCADE,
    entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    role name NOT NULL,
    agent_id text NOT NULL,
    line_id text NOT NULL,
    ref text NOT NULL,                                -- of the change at its desk: recorded twice it stands once
    verb text NOT NULL,
    target text NOT NULL,
    before text NOT NULL,
    after text NOT NULL,
    outcome text NOT NULL
);
CREATE INDEX journal_by_time ON frontdesk.journal (account, entry DESC);
CREATE UNIQUE INDEX journal_by_ref ON frontdesk.journal (account, role, ref) WHERE ref <> '';

CREATE SEQUENCE frontdesk.tokens;

-- Rights ------------------------------------------------------------------------------------------------------------

DO $$
DECLARE each text;
BEGIN
    FOREACH each IN ARRAY ARRAY['accounts', 'grants', 'desks', 'leader', 'observed', 'lookers', 'claims', 'shared', 'journal']
    LOOP
        EXECUTE format('ALTER TABLE frontdesk.%I ENABLE ROW LEVEL SECURITY', each);
    END LOOP;
    FOREACH each IN ARRAY ARRAY['observed', 'lookers', 'claims', 'shared', 'journal']
    LOOP
        EXECUTE format(
            'CREATE POLICY of_my_lines ON frontdesk.%1$I FOR SELECT USING (EXISTS (SELECT FROM frontdesk.grants g'
            ' WHERE g.account = %1$I.account AND g.role = session_user'
            ' AND (%1$I.line_id = '''' OR g.line_id IN (''*'', %1$I.line_id))))', each);
    END LOOP;
    FOREACH each IN ARRAY ARRAY['accounts', 'desks', 'leader']
    LOOP
        EXECUTE format(
            'CREATE POLICY of_my_account ON frontdesk.%1$I FOR SELECT USING (EXISTS (SELECT FROM frontdesk.grants g'
            ' WHERE g.account = %1$I.account AND g.role = session_user))', each);
    END LOOP;
    CREATE POLICY my_own ON frontdesk.grants FOR SELECT USING (role = session_user);
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'frontdesk_desk') THEN
        CREATE ROLE frontdesk_desk NOLOGIN;
    END IF;
END $$;

-- Version 2

-- What each person has written in the hour; nobody reads it but the functions.
CREATE TABLE IF NOT EXISTS frontdesk.quotas (
    account text NOT NULL REFERENCES frontdesk.accounts ON DELETE CASCADE,
    role name NOT NULL,
    hour timestamptz NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (account, role)
);
ALTER TABLE frontdesk.quotas ENABLE ROW LEVEL SECURITY;
ALTER TABLE frontdesk.accounts ALTER schema SET DEFAULT 2;

-- Version 3

-- Desks read what has changed since they looked last. What a desk shows no longer stays, empty, until others have read it.
ALTER TABLE frontdesk.lookers ADD COLUMN IF NOT EXISTS changed_at timestamptz NOT NULL DEFAULT clock_timestamp();
ALTER TABLE frontdesk.accounts ALTER schema SET DEFAULT 3;
