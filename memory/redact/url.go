package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// url handles "://" at i and always consumes it.
func (c *scanner) url(i int) bool {
	scheme := c.back(i, alnumChar|local, 24)
	at := i + 3
	end, user := at, -1
	for end < len(c.s) && end-at < 512 {
		b := c.s[end]
		if b == '@' {
			user = end
		}
		if !is(b, userChar) && strings.IndexByte("(),[]", b) < 0 || b <= maskByte {
			break
		}
		end++
	}
	c.work += end - at
	if user < 0 || user == at {
		return c.advance(at)
	}
	if i-scheme >= 2 && isDatabaseScheme(c.s[scheme:i]) && strings.IndexByte(c.s[at:user], ':') >= 0 {
		return c.add(DSN, scheme, c.urlEnd(user))
	}
	if info := c.s[at:user]; strings.IndexByte(info, ':') >= 0 && info[len(info)-1] != ':' || len(info) >= 20 && looksRandom(info) {
		c.add(URLCredentials, at, user)
		return c.advance(user + 1)
	}
	return c.advance(at)
}

// urlEnd returns the end of a URL that continues at i, without punctuation of the sentence.
func (c *scanner) urlEnd(i int) int {
	start := i
	for i < len(c.s) && i-start < 1024 && c.s[i] > ' ' && c.s[i] < utf8.RuneSelf && strings.IndexByte("\"'`<>\\^{}|", c.s[i]) < 0 {
		i++
	}
	c.work += i - start
	return start + 1 + len(strings.TrimRight(c.s[start+1:i], ".,;:!?)]"))
}

// isDatabaseScheme reports whether a scheme belongs to a database, a queue or a similar service.
func isDatabaseScheme(scheme string) bool {
	scheme, _, _ = strings.Cut(strings.ToLower(scheme), "+")
	return slices.Contains(databases, scheme)
}

var databases = []string{"mysql", "mariadb", "postgres", "postgresql", "mongodb", "redis", "rediss", "valkey", "amqp", "amqps", "mssql", "sqlserver", "oracle", "clickhouse", "nats", "mqtt", "mqtts", "kafka",
	"cockroachdb", "cassandra", "neo4j", "bolt", "couchdb", "influxdb", "etcd", "memcached", "ldap", "ldaps", "smtp", "smtps", "tdengine", "taos", "dm", "kingbase", "es", "elasticsearch"}

// goDSN handles "@tcp(" and "@unix(" at i, as in "user:password@tcp(host:3306)/db?…".
func (c *scanner) goDSN(i int) bool {
	start, colon := i, false
	for start > 0 && i-start < 128 && (is(c.s[start-1], userChar) || c.s[start-1] == '/') {
		start--
		colon = colon || c.s[start] == ':'
	}
	c.work += i - start
	if k := strings.LastIndex(c.s[start:i], "://"); k >= 0 {
		start += k + 3
	}
	return colon && start < i && c.add(DSN, start, c.urlEnd(i))
}
