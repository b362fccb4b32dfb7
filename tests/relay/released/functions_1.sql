-- The functions of version 1, as they were.

-- Functions that run with their owner's rights name `pg_temp` last: unless it is named, types are looked up there first,
-- and anybody may create types there whose checks would run with those rights.

-- The grant of whoever has logged in; inside these functions `current_user` is their owner.
CREATE FUNCTION frontdesk.require_member(p text, line text DEFAULT '') RETURNS frontdesk.grants
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE g frontdesk.grants;
BEGIN
    SELECT * INTO g FROM frontdesk.grants
        WHERE account = p AND role = session_user AND (line = '' OR line_id IN ('*', line))
        ORDER BY may_poll DESC, line_id LIMIT 1;
    IF NOT FOUND THEN RAISE EXCEPTION 'no rights in this account or line' USING ERRCODE = 'FD002'; END IF;
    RETURN g;
END $$;

-- The same of whoever may poll for the team.
CREATE FUNCTION frontdesk.require_poller(p text, line text DEFAULT '') RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT (frontdesk.require_member(p, line)).may_poll THEN
        RAISE EXCEPTION 'this role may not poll for the team' USING ERRCODE = 'FD002';
    END IF;
END $$;

-- Whether what stands under a line may be replaced by whoever has logged in.
CREATE FUNCTION frontdesk.has_line(p text, line text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT line = '' OR EXISTS (SELECT FROM frontdesk.grants
        WHERE account = p AND role = session_user AND line_id IN ('*', line));
$$;

-- What everybody reads at the start ---------------------------------------------------------------------------------

-- Register a desk under a name that nobody else of the account has; answers the name.
CREATE FUNCTION frontdesk.join_desk(p text, d text, wanted text, v int) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE chosen text := left(wanted, 80); n int := 1;
BEGIN
    PERFORM frontdesk.require_member(p);
    PERFORM FROM frontdesk.accounts WHERE account = p FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM frontdesk.desks WHERE account = p AND desk = d AND role <> session_user
        AND role IN (SELECT role FROM frontdesk.grants WHERE account = p)) THEN
        RAISE EXCEPTION 'this desk belongs to someone else' USING ERRCODE = 'FD003';
    END IF;
    DELETE FROM frontdesk.desks WHERE account = p AND seen_at < clock_timestamp() - interval '90 days';
    WHILE EXISTS (SELECT FROM frontdesk.desks WHERE account = p AND name = chosen AND desk <> d) LOOP
        n := n + 1;
        chosen := left(wanted, 80) || '-' || n;
    END LOOP;
    INSERT INTO frontdesk.desks VALUES (p, d, session_user, chosen, v, 0, clock_timestamp())
        ON CONFLICT (account, desk) DO UPDATE SET role = session_user, name = chosen, version = v, seen_at = clock_timestamp();
    RETURN chosen;
END $$;

-- The leader's lease ------------------------------------------------------------------------------------------------

-- Take or renew the lease; answers its token, or NULL while another desk has it.
CREATE FUNCTION frontdesk.lease(p text, d text, seconds float8) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE named text; taken bigint;
BEGIN
    PERFORM frontdesk.require_poller(p);
    SELECT name INTO named FROM frontdesk.desks WHERE account = p AND desk = d AND role = session_user;
    IF NOT FOUND THEN RAISE EXCEPTION 'this desk has not joined' USING ERRCODE = 'FD003'; END IF;
    INSERT INTO frontdesk.leader AS l
        VALUES (p, nextval('frontdesk.tokens'), d, named, clock_timestamp() + least(seconds, 60) * interval '1 s')
        ON CONFLICT (account) DO UPDATE SET name = named, until = excluded.until,
            token = CASE WHEN l.desk = d AND l.until > clock_timestamp() THEN l.token ELSE excluded.token END, desk = d
        WHERE l.desk = d OR l.until <= clock_timestamp()
        RETURNING token INTO taken;
    RETURN taken;
END $$;

-- Let the next desk lead at once.
CREATE FUNCTION frontdesk.release(p text, tok bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM frontdesk.require_member(p);
    UPDATE frontdesk.leader l SET until = clock_timestamp() FROM frontdesk.desks d
        WHERE l.account = p AND l.token = tok AND d.account = p AND d.desk = l.desk AND d.role = session_user;
    IF FOUND THEN PERFORM pg_notify('frontdesk_' || p, '0'); END IF;
END $$;

-- Observations ------------------------------------------------------------------------------------------------------

-- Store what differs and is not older, at the next positions, unless it stands under a line outside the grant; only `observe` and `report` call it.
-- A task is either there ('task') or deleted ('gone'): of the two rows the one that was asked for later stays.
CREATE FUNCTION frontdesk.put_observations(p text, tok bigint, items jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE pos bigint; i jsonb; n int; asked float8; opposite text;
BEGIN
    SELECT position INTO pos FROM frontdesk.accounts WHERE account = p;
    FOR i IN SELECT * FROM jsonb_array_elements(items) LOOP
        asked := least((i->>'asked_at')::float8, extract(epoch FROM clock_timestamp()));
        opposite := CASE i->>'kind' WHEN 'task' THEN 'gone' WHEN 'gone' THEN 'task' END;
        CONTINUE WHEN EXISTS (SELECT FROM frontdesk.observed o WHERE o.account = p AND o.kind = opposite
            AND o.id = i->>'id' AND (o.asked_at > asked OR NOT frontdesk.has_line(p, o.line_id)));
        INSERT INTO frontdesk.observed AS o
            VALUES (p, i->>'kind', i->>'id', i->>'line', pos + 1, asked, tok, i->>'digest', i->>'body')
            ON CONFLICT (account, kind, id) DO UPDATE SET line_id = excluded.line_id, position = excluded.position,
                asked_at = excluded.asked_at, token = tok, digest = excluded.digest, body = excluded.body
            WHERE excluded.asked_at >= o.asked_at
                AND (excluded.digest, excluded.line_id) IS DISTINCT FROM (o.digest, o.line_id)
                AND frontdesk.has_line(p, o.line_id);
        GET DIAGNOSTICS n = ROW_COUNT;
        pos := pos + n;
        IF n > 0 THEN
            DELETE FROM frontdesk.observed WHERE account = p AND kind = opposite AND id = i->>'id';
        ELSE  -- the same, read later: an answer that was on its way meanwhile may not replace it
            UPDATE frontdesk.observed SET asked_at = asked WHERE account = p AND kind = i->>'kind' AND id = i->>'id'
                AND line_id = i->>'line' AND digest = i->>'digest' AND asked_at < asked - 5;
        END IF;
    END LOOP;
    UPDATE frontdesk.accounts SET position = pos WHERE account = p AND position <> pos;
    -- The payload is the position alone: any role of the database may listen.
    IF FOUND THEN PERFORM pg_notify('frontdesk_' || p, pos::text); END IF;
    RETURN pos;
END $$;

-- Publish what the leader has read. The account's row is locked until the commit, so that positions are committed in
-- their order and none is missing.
CREATE FUNCTION frontdesk.observe(p text, tok bigint, items jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM frontdesk.require_poller(p);
    PERFORM FROM frontdesk.accounts WHERE account = p FOR NO KEY UPDATE;
    PERFORM FROM frontdesk.leader l JOIN frontdesk.desks d ON d.account = p AND d.desk = l.desk
        WHERE l.account = p AND l.token = tok AND l.until > clock_timestamp() AND d.role = session_user FOR SHARE OF l;
    IF NOT FOUND THEN RAISE EXCEPTION 'stale leader' USING ERRCODE = 'FD001'; END IF;
    PERFORM frontdesk.require_poller(p, line)
        FROM (SELECT DISTINCT i->>'line' AS line FROM jsonb_array_elements(items) i) AS lines;
    RETURN frontdesk.put_observations(p, tok, items);
END $$;

-- Which of these the relay lacks: their places in the list, from 0, in its order.
CREATE FUNCTION frontdesk.lacking(p text, items jsonb) RETURNS SETOF int
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM frontdesk.require_member(p, line) FROM (SELECT DISTINCT i->>'line' AS line FROM jsonb_array_elements(items) i) AS lines;
    RETURN QUERY SELECT (place - 1)::int FROM jsonb_array_elements(items) WITH ORDINALITY AS a(i, place)
        WHERE NOT EXISTS (SELECT FROM frontdesk.observed o WHERE o.account = p AND o.kind = i->>'kind'
            AND o.id = i->>'id' AND o.line_id = i->>'line' AND o.digest = i->>'digest')
        ORDER BY place;
END $$;

-- Claims ------------------------------------------------------------------------------------------------------------

-- Claim a target for a read, a comparison and a write; answers the token, or NULL while another desk has it.
CREATE FUNCTION frontdesk.claim(p text, d text, t text, seconds float8) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE named text; taken bigint; line text;
BEGIN
    SELECT line_id INTO line FROM frontdesk.observed
        WHERE account = p AND kind = split_part(t, ' ', 1) AND id = substr(t, strpos(t, ' ') + 1);
    line := coalesce(line, '');
    PERFORM frontdesk.require_member(p, line);
    SELECT name INTO named FROM frontdesk.desks WHERE account = p AND desk = d AND role = session_user;
    IF NOT FOUND THEN RAISE EXCEPTION 'this desk has not joined' USING ERRCODE = 'FD003'; END IF;
    INSERT INTO frontdesk.claims AS c
        VALUES (p, t, line, nextval('frontdesk.tokens'), d, named, clock_timestamp() + least(seconds, 60) * interval '1 s')
        ON CONFLICT (account, target) DO UPDATE SET line_id = line, token = excluded.token, desk = d, name = named,
            until = excluded.until
        WHERE c.desk = d OR c.until <= clock_timestamp()
        RETURNING token INTO taken;
    RETURN taken;
END $$;

CREATE FUNCTION frontdesk.unclaim(p text, tok bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM frontdesk.require_member(p);
    DELETE FROM frontdesk.claims c USING frontdesk.desks d
        WHERE c.account = p AND c.token = tok AND d.account = p AND d.desk = c.desk AND d.role = session_user;
END $$;

-- Publish the platform's answer to a change, by whoever has the claim of its task. Everything else comes from the leader.
CREATE FUNCTION frontdesk.report(p text, tok bigint, item jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM frontdesk.require_member(p, item->>'line');
    IF item->>'kind' IS DISTINCT FROM 'task' THEN
        RAISE EXCEPTION 'only the leader publishes this' USING ERRCODE = 'FD002';
    END IF;
    PERFORM FROM frontdesk.accounts WHERE account = p FOR NO KEY UPDATE;
    PERFORM FROM frontdesk.claims c JOIN frontdesk.desks d ON d.account = p AND d.desk = c.desk
        WHERE c.account = p AND c.token = tok AND c.until > clock_timestamp() AND d.role = session_user
        AND c.target = (item->>'kind') || ' ' || (item->>'id');
    IF NOT FOUND THEN RAISE EXCEPTION 'no claim' USING ERRCODE = 'FD001'; END IF;
    RETURN frontdesk.put_observations(p, tok, jsonb_build_array(item));
END $$;

-- What desks show and share -----------------------------------------------------------------------------------------

-- Say what a desk's screens show, as objects with `line` and `what`, and up to which position it has read. What it showed
-- of other lines before is deleted; lines outside the grant are left out.
CREATE FUNCTION frontdesk.look(p text, d text, shown jsonb, read_to bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE g frontdesk.grants := frontdesk.require_member(p); named text;
BEGIN
    UPDATE frontdesk.desks SET seen_at = clock_timestamp(), position = read_to
        WHERE account = p AND desk = d AND role = session_user RETURNING name INTO named;
    IF NOT FOUND THEN RAISE EXCEPTION 'this desk has not joined' USING ERRCODE = 'FD003'; END IF;
    IF octet_length(shown::text) > 1000000 THEN
        RAISE EXCEPTION 'the report of what is shown is longer than 1 MB' USING ERRCODE = '54000';
    END IF;
    DELETE FROM frontdesk.lookers WHERE account = p AND desk = d
        AND line_id NOT IN (SELECT i->>'line' FROM jsonb_array_elements(shown) i WHERE i->>'line' IS NOT NULL);
    INSERT INTO frontdesk.lookers SELECT p, d, g.agent_id, named, clock_timestamp(), i->>'line', i->>'what'
        FROM jsonb_array_elements(shown) i WHERE frontdesk.has_line(p, i->>'line')
        ON CONFLICT (account, desk, line_id) DO UPDATE SET agent_id = excluded.agent_id, name = excluded.name,
            at = excluded.at, what = excluded.what;
END $$;

CREATE FUNCTION frontdesk.leave(p text, d text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM frontdesk.require_member(p);
    DELETE FROM frontdesk.lookers l USING frontdesk.desks k
        WHERE l.account = p AND l.desk = d AND k.account = p AND k.desk = d AND k.role = session_user;
END $$;

-- Share a note, a read marker or a view; an empty body takes one's own back.
CREATE FUNCTION frontdesk.share(p text, k text, i text, line text, b text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE g frontdesk.grants := frontdesk.require_member(p, line); pos bigint;
BEGIN
    SELECT position + 1 INTO pos FROM frontdesk.accounts WHERE account = p FOR NO KEY UPDATE;
    INSERT INTO frontdesk.shared AS s VALUES (p, k, i, line, pos, session_user, g.agent_id, clock_timestamp(), left(b, 50000))
        ON CONFLICT (account, kind, id) DO UPDATE SET position = pos, at = excluded.at, body = excluded.body,
            line_id = excluded.line_id, role = excluded.role, agent_id = excluded.agent_id
        WHERE s.body <> excluded.body
            AND (s.role = session_user OR s.kind = 'read') AND frontdesk.has_line(p, s.line_id);
    IF NOT FOUND THEN
        IF EXISTS (SELECT FROM frontdesk.shared WHERE account = p AND kind = k AND id = i AND body = left(b, 50000)) THEN
            RETURN 0;
        END IF;
        RAISE EXCEPTION 'this belongs to someone else' USING ERRCODE = 'FD003';
    END IF;
    UPDATE frontdesk.accounts SET position = pos WHERE account = p;
    PERFORM pg_notify('frontdesk_' || p, pos::text);
    RETURN pos;
END $$;

-- Add an entry to the journal, which nobody changes.
CREATE FUNCTION frontdesk.record(p text, line text, ref text, verb text, target text, before text, after text, outcome text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE g frontdesk.grants := frontdesk.require_member(p, line);
BEGIN
    INSERT INTO frontdesk.journal (account, role, agent_id, line_id, ref, verb, target, before, after, outcome)
        VALUES (p, session_user, g.agent_id, line, left(ref, 200), left(verb, 200), left(target, 1000), left(before, 20000),
            left(after, 20000), left(outcome, 2000))
        ON CONFLICT DO NOTHING;
END $$;

-- Retention ---------------------------------------------------------------------------------------------------------

-- Delete messages that were read longer ago than the account keeps them, the oldest 5,000 at most, so that a call takes
-- no longer than others wait for it; answers how many. Any desk that may poll calls it.
CREATE FUNCTION frontdesk.retain(p text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE n bigint; oldest float8;
BEGIN
    PERFORM frontdesk.require_poller(p);
    SELECT extract(epoch FROM clock_timestamp()) - retention_days * 86400.0 INTO oldest
        FROM frontdesk.accounts WHERE account = p FOR NO KEY UPDATE;
    DELETE FROM frontdesk.observed o USING (
        SELECT kind, id FROM frontdesk.observed WHERE account = p AND kind IN ('message', 'page', 'gone')
            AND asked_at < oldest ORDER BY asked_at LIMIT 5000
    ) AS old WHERE o.account = p AND o.kind = old.kind AND o.id = old.id;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA frontdesk FROM public;
GRANT USAGE ON SCHEMA frontdesk TO frontdesk_desk;
GRANT SELECT ON ALL TABLES IN SCHEMA frontdesk TO frontdesk_desk;
GRANT EXECUTE ON FUNCTION frontdesk.join_desk, frontdesk.lease, frontdesk.release, frontdesk.observe, frontdesk.lacking,
    frontdesk.claim, frontdesk.unclaim, frontdesk.report, frontdesk.look, frontdesk.leave, frontdesk.share, frontdesk.record,
    frontdesk.retain TO frontdesk_desk;
