package postgres

// relayPart is created by [OpenRelay].
var relayPart = part{"relay", []string{
	`CREATE TABLE {s}.inbox ( -- events that are not handled yet
		being   text COLLATE "C" NOT NULL,
		account text COLLATE "C" NOT NULL,
		key     text COLLATE "C" NOT NULL,
		seq     bigint GENERATED ALWAYS AS IDENTITY,
		chat    text COLLATE "C" NOT NULL,
		message boolean NOT NULL,
		body    bytea NOT NULL,
		at      timestamptz NOT NULL DEFAULT now(),
		PRIMARY KEY (being, account, key)
	);
	CREATE UNIQUE INDEX inbox_order ON {s}.inbox (being, seq);
	CREATE TABLE {s}.outbox ( -- calls; see callState
		being   text COLLATE "C" NOT NULL,
		id      uuid NOT NULL,
		account text COLLATE "C" NOT NULL,
		lease   text COLLATE "C" NOT NULL, -- the lease and epoch of the caller
		epoch   bigint NOT NULL, -- 0: the caller has no fence
		gateway bigint NOT NULL DEFAULT 0, -- epoch of the attachment that has taken it
		state   text COLLATE "C" NOT NULL,
		until   timestamptz NOT NULL, -- nobody takes it later
		body    bytea NOT NULL,
		answer  bytea,
		PRIMARY KEY (being, id)
	);
	CREATE INDEX outbox_account ON {s}.outbox (being, account);
	` + policies("inbox", "outbox"),
	// Each event wakes a bot that sleeps, also an event that another program or an older version inserts. The lock is that of DB.Sleep.
	`CREATE FUNCTION {s}.wake_sleeper() RETURNS trigger LANGUAGE plpgsql AS $hearth$
	DECLARE
		hints text;
	BEGIN
		PERFORM pg_advisory_xact_lock_shared(1752331116, hashtext(TG_TABLE_SCHEMA || '.' || NEW.being));
		UPDATE {s}.sleepers SET wake_at = clock_timestamp() WHERE being = NEW.being AND wake_at > clock_timestamp() RETURNING channel INTO hints;
		IF hints <> '' THEN
			PERFORM pg_notify(hints, 'free ' || NEW.being);
		END IF;
		RETURN NULL;
	END $hearth$;
	CREATE TRIGGER wake_sleeper AFTER INSERT ON {s}.inbox FOR EACH ROW EXECUTE FUNCTION {s}.wake_sleeper();
	`,
}}

// The states of a call. A call leads from new to one of the others, and from taken to done. The caller deletes it.
const (
	callNew       = "new"
	callTaken     = "taken"     // a gateway makes it
	callDone      = "done"      // the answer is there
	callLarge     = "large"     // the answer is too large
	callFenced    = "fenced"    // its caller was not the owner any more
	callWithdrawn = "withdrawn" // it must not be inserted any more
)

// attachedName is the name of the lease of an account's connection.
func attachedName(account string) string { return "account:" + account }

const (
	publishSQL = `INSERT INTO {s}.inbox (being, account, key, chat, message, body) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (being, account, key) DO NOTHING`
	// An attachment is an event with the key '' until the owner has seen it. Such an event is never passed to a handler. It is replaced,
	// because an owner that has seen an earlier one deletes that.
	oldAttachedSQL = `DELETE FROM {s}.inbox WHERE being = $1 AND account = $2 AND key = ''`
	attachedSQL    = `INSERT INTO {s}.inbox (being, account, key, chat, message, body) VALUES ($1, $2, '', '', false, '') ON CONFLICT DO NOTHING`
	eventsSQL      = `SELECT seq, key, chat, message, body FROM {s}.inbox
		WHERE being = $1 AND account = $2 AND NOT seq = ANY($3) AND NOT chat = ANY($4) ORDER BY seq LIMIT $5`
	ownerSQL       = `SELECT EXISTS (SELECT FROM {s}.leases WHERE being = $1 AND name = $2 AND epoch = $3)`
	eventExistsSQL = `SELECT EXISTS (SELECT 1 FROM {s}.inbox WHERE being = $1 AND seq = $2)`
	eventDoneSQL   = `DELETE FROM {s}.inbox WHERE being = $1 AND seq = $2`
	// as eventDone, if the lease has the epoch
	eventDoneFencedSQL = `WITH held AS MATERIALIZED (SELECT FROM {s}.leases WHERE being = $1 AND name = $3 AND epoch = $4 FOR SHARE),
		gone AS (DELETE FROM {s}.inbox WHERE being = $1 AND seq = $2 AND EXISTS (SELECT FROM held) RETURNING seq)
		SELECT EXISTS (SELECT FROM held), (SELECT count(*) FROM gone)`

	// the caller must hold its lease, and the account must be connected
	callSQL = `WITH held AS MATERIALIZED (SELECT FROM {s}.leases WHERE being = $1 AND name = $4 AND epoch = $5 FOR SHARE),
		can AS MATERIALIZED (SELECT $5::bigint = 0 OR EXISTS (SELECT FROM held) AS may,
			EXISTS (SELECT FROM {s}.leases WHERE being = $1 AND name = $8 AND until > clock_timestamp()) AS connected),
		made AS (INSERT INTO {s}.outbox (being, id, account, lease, epoch, state, until, body)
			SELECT $1, $2, $3, $4, $5, 'new', clock_timestamp() + $6, $7 FROM can WHERE may AND connected RETURNING id)
		SELECT may, connected, (SELECT count(*) FROM made) FROM can`
	// withdraw decides about a call whose insertion is unclear: it waits for the insertion, or prevents it
	withdrawSQL = `INSERT INTO {s}.outbox AS o (being, id, account, lease, epoch, state, until, body)
		VALUES ($1, $2, $3, '', 0, 'withdrawn', clock_timestamp(), '')
		ON CONFLICT (being, id) DO UPDATE SET state = CASE o.state WHEN 'new' THEN 'withdrawn' ELSE o.state END RETURNING state`
	callStateSQL = `SELECT o.state, EXISTS (SELECT FROM {s}.leases AS l
			WHERE l.being = $1 AND l.name = $3 AND l.until > clock_timestamp() AND (o.state = 'new' OR l.epoch = o.gateway))
		FROM {s}.outbox AS o WHERE o.being = $1 AND o.id = $2`
	callResultSQL = `DELETE FROM {s}.outbox WHERE being = $1 AND id = $2 AND state IN ('done', 'large', 'fenced') RETURNING state, answer`
	callEndSQL    = `DELETE FROM {s}.outbox WHERE being = $1 AND id = $2 RETURNING state, answer`
	// calls of earlier owners of the account, and what remained of callers that died
	forgetCallsSQL = `DELETE FROM {s}.outbox WHERE being = $1 AND account = $2
		AND (lease = $3 AND epoch < $4 OR until < clock_timestamp() - interval '1 hour')`

	waitingSQL = `SELECT EXISTS (SELECT FROM {s}.outbox WHERE being = $1 AND account = $2 AND state = 'new')`
	runningSQL = `SELECT id FROM {s}.outbox WHERE being = $1 AND account = $2 AND state = 'taken' AND gateway = $3`
	// takes the calls of the current owner, and refuses all others. The owner's lease stays as it is until the transaction ends.
	takeSQL = `WITH held AS MATERIALIZED (SELECT name, epoch FROM {s}.leases WHERE being = $1 AND name IN (
				SELECT lease FROM {s}.outbox WHERE being = $1 AND account = $2 AND state = 'new') FOR SHARE)
		UPDATE {s}.outbox AS o SET gateway = $3,
			state = CASE WHEN o.epoch = 0 OR EXISTS (SELECT FROM held WHERE held.name = o.lease AND held.epoch = o.epoch) THEN 'taken' ELSE 'fenced' END
		WHERE o.being = $1 AND o.account = $2 AND o.state = 'new' AND o.until > clock_timestamp()
		RETURNING o.id, o.state, o.until - clock_timestamp(), CASE o.state WHEN 'taken' THEN o.body END`
	answerSQL = `UPDATE {s}.outbox SET state = $4, answer = $3 WHERE being = $1 AND id = $2 AND state = 'taken'`

	notifySQL = `SELECT pg_notify($1, $2)`
)
