package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/internal/storage"
)

// rowColumns reads a record as one text, with NUL between its fields, plus its importance. No field contains NUL. A
// text would round the importance. One text is cheaper, because SQLite allocates memory for each value. The vector
// comes third.
const rowColumns = `concat(r.seq, char(0), r.own, char(0), r.at, char(0), r.id, char(0), r.kind, char(0), r.person, char(0),
	r.name, char(0), r.reply_to, char(0), r.embedder, char(0), r.tags, char(0), r.sources, char(0), r.label, char(0), r.text), r.importance`

// query reads records of one space. expect is an upper bound of their number.
func (db *DB) query(ctx context.Context, stmt *sql.Stmt, s memory.Space, expect int, args ...any) ([]memory.Record, error) {
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, db.withSentinel(err)
	}
	defer rows.Close()
	var recs []memory.Record
	var text string
	var importance any // any, because a float64 would be converted from a text
	var vector sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&text, &importance, &vector); err != nil {
			return nil, db.withSentinel(err)
		}
		r := memory.Record{Space: s, Vector: storage.DecodeVector(vector)}
		r.Importance, _ = importance.(float64)
		if err := decodeRow(&r, text); err != nil {
			return nil, fmt.Errorf("sqlite: record in %q: %w: %w", string(s), ErrCorrupt, err)
		}
		if recs == nil {
			recs = make([]memory.Record, 0, min(expect, pageSize))
		}
		recs = append(recs, r)
	}
	return recs, db.withSentinel(rows.Err())
}

// decodeRow parses the text of rowColumns.
func decodeRow(r *memory.Record, text string) (err error) {
	var seq, own, at, tags, sources, label string
	for _, field := range [...]*string{&seq, &own, &at, &r.ID, &r.Kind, &r.Person, &r.Name, &r.ReplyTo, &r.Embedder, &tags, &sources, &label} {
		*field, text, _ = strings.Cut(text, "\x00")
	}
	r.Text = text
	if r.Seq, err = strconv.ParseUint(seq, 10, 64); err != nil {
		return err
	}
	r.Own = own != "0"
	if at != "" {
		nanos, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return err
		}
		r.At = time.Unix(0, nanos).UTC()
	}
	if r.Tags, err = decodeList(tags); err != nil {
		return err
	}
	if r.Sources, err = decodeList(sources); err != nil {
		return err
	}
	return r.Label.UnmarshalText([]byte(label))
}

func encodeList(ss []string) string {
	if len(ss) == 0 {
		return ""
	}
	b, _ := json.Marshal(ss) // cannot fail for strings
	return string(b)
}

func decodeList(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	var ss []string
	err := json.Unmarshal([]byte(list), &ss)
	return ss, err
}
