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
	if isPlaceholderLogin(c.s[at:user]) {
		return c.advance(user + 1)
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

// isPlaceholderLogin reports whether the user and password of a URL are names of variables or words of documentation.
func isPlaceholderLogin(login string) bool {
	user, password, ok := strings.Cut(login, ":")
	if !ok || password == "" {
		return false
	}
	switch b := password[0]; {
	case b == '$':
		return isVariable(password)
	case b == '<', b == '{', b == '[', strings.HasPrefix(password, "%("), strings.Trim(password, "*") == "", strings.Trim(password, "xX") == "":
		return true
	}
	return oneOf(user, "user", "username") && oneOf(password, "pass", "password", "passwd", "pwd")
}

// isVariable reports whether s is a variable of a shell: $NAME, $name or ${Name}.
func isVariable(s string) bool {
	name := strings.Trim(s[1:], "{}")
	return name != "" && !is(name[0], digit) && count(name, wordChar) == len(name) &&
		(s[1] == '{' || strings.ToUpper(name) == name || strings.ToLower(name) == name)
}

// urlEnd returns the end of a URL that continues at i, without punctuation of the sentence.
func (c *input) urlEnd(i int) int {
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

// oracle handles "jdbc:oracle:thin" before the colon at i, with user/password@ after it.
func (c *scanner) oracle(i int) bool {
	k := c.run(i+1, userChar|base64Char, 128)
	at := strings.LastIndexByte(c.s[i+1:k], '@')
	if at < 0 || strings.IndexByte(c.s[i+1:i+1+at], '/') <= 0 {
		return false
	}
	return c.add(DSN, max(0, i-len("jdbc:oracle:thin")), c.urlEnd(i+1+at))
}

// connectionWords begin the connection strings of ADO, ODBC and libpq, or are among their first keys.
var connectionWords = []string{"server=", "data source=", "datasource=", "host=", "hostname=", "addr=", "address=", "driver=", "provider=", "dsn=", "initial catalog=", "database=", "dbname=", "user id=", "userid=", "uid="}

// connection extends a password, found from start to end under a name, to the connection string around it: pairs with ';' or
// blanks between them, or a JDBC URL.
func (c *scanner) connection(name, start, end int) {
	const more = 256
	w := c.before(name, more)
	if k := strings.LastIndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("\"'`<>|[]", r) || r < ' ' }); k >= 0 {
		_, n := utf8.DecodeRuneInString(w[k:])
		w = w[k+n:]
	}
	base := name - len(w)
	from := -1
	if k := strings.LastIndex(w, "://"); k >= 0 && strings.IndexByte(w[k:], ' ') < 0 {
		scheme := c.back(base+k, alnumChar|local, 24)
		for scheme > 0 && c.s[scheme-1] == ':' {
			scheme = c.back(scheme-1, alnumChar|local, 12)
		}
		if isDatabaseScheme(c.s[c.back(base+k, alnumChar, 24):base+k]) || strings.HasPrefix(c.s[scheme:], "jdbc:") {
			from = scheme
		}
	} else if k := strings.LastIndex(w, "jdbc:"); k >= 0 && strings.IndexByte(w[k:], ' ') < 0 {
		from = base + k
	} else if w != "" && (w[len(w)-1] == ';' || w[len(w)-1] == ' ') {
		l := strings.ToLower(w)
		for _, key := range connectionWords {
			if k := strings.Index(l, key); k >= 0 && (k == 0 || !is(l[k-1], wordChar)) && (from < 0 || base+k < from) {
				from = base + k
			}
		}
	}
	if from < 0 {
		return
	}
	for c.next(end) == ';' || c.next(end) == '&' || c.next(end) == ' ' { // more pairs
		k := c.run(end+1, wordChar|blank, 30)
		if c.next(k) != '=' || k == end+1 {
			break
		}
		for k++; k < len(c.s) && c.s[k] > ' ' && c.s[k] < utf8.RuneSelf && strings.IndexByte(";&\"'`<>|,", c.s[k]) < 0; k++ {
			c.work++
		}
		end = k
	}
	if c.next(end) == ';' {
		end++
	}
	c.add(DSN, from, end)
}
