package check

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/memory/postgres"
)

// defaultBeing is the name of the bot in a database that the address does not name.
const defaultBeing = "bot"

// IsPostgres reports whether -db is the address of a PostgreSQL database, and not a file.
func IsPostgres(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// PostgresOptions returns the options of the address of -db, or of another flag. Its parameter being names the bot. An address with a password is
// refused, because other users of the machine can read command lines, and files of settings are shown.
func PostgresOptions(name, db string) (postgres.Options, error) {
	u, err := url.Parse(db)
	if err != nil { // its error contains the address
		return postgres.Options{}, lang.Errorf("%s 不是正确的地址：写成 postgres://用户@主机/数据库?being=名字", "%s is no valid address: write postgres://USER@HOST/DATABASE?being=NAME", name)
	}
	query := u.Query()
	if _, has := u.User.Password(); has || query.Has("password") {
		return postgres.Options{}, lang.Errorf("%s 里不要写密码：放进环境变量 PGPASSWORD，或者 ~/.pgpass（也可以用 PGPASSFILE 指定文件）",
			"%s: no password here: put it into the environment variable PGPASSWORD, or into ~/.pgpass or the file of PGPASSFILE", name)
	}
	o := postgres.Options{Being: query.Get("being")}
	if o.Being == "" {
		o.Being = defaultBeing
	}
	query.Del("being")
	u.RawQuery = query.Encode()
	o.DSN = u.String()
	return o, nil
}

// postgresStore looks at the database of -db.
func postgresStore(address string) (found lang.Text, err error) {
	o, err := PostgresOptions("-db", address)
	if err != nil {
		return found, err
	}
	ctx, stop := context.WithTimeout(context.Background(), Timeout)
	defer stop()
	info, err := postgres.Inspect(ctx, o)
	switch {
	case err != nil:
		return found, PostgresError("-db", err)
	case info.Lease != nil:
		return found, PostgresError("-db", &postgres.HeldError{Lease: *info.Lease})
	case info.Version == 0:
		return lang.T("数据库连上了，会新建表", "the database answers; its tables will be created"), nil
	case info.Version < info.Supported:
		return lang.T("数据库连上了，表会从版本 %d 升到 %d", "the database answers; its tables will be upgraded from version %d to %d", info.Version, info.Supported), nil
	}
	return lang.T("数据库连上了，机器人叫 %s", "the database answers; the bot is %s", o.Being), nil
}

// PostgresError returns an error of the database of -db, or of another flag, with what to do.
func PostgresError(name string, err error) error {
	var held *postgres.HeldError
	for _, e := range []struct {
		is               bool
		chinese, english string
	}{
		{errors.Is(err, postgres.ErrNewerVersion), "数据库里的表是更新版本的程序建的：用新版本", "start the newer version"},
		{errors.Is(err, postgres.ErrSuperuser), "别用超级用户连：CREATE ROLE hearth LOGIN PASSWORD '…'; CREATE DATABASE hearth OWNER hearth;", "connect as another role: CREATE ROLE hearth LOGIN PASSWORD '…'; CREATE DATABASE hearth OWNER hearth;"},
		{errors.Is(err, postgres.ErrUnavailable), "连不上：看看地址、密码，还有数据库起来没有", "check the address, the password and whether the database runs"},
		{errors.As(err, &held), "另一个程序正当着这个机器人：先关掉它，或者换一个 being", "another program is this bot: end it, or name another being"},
	} {
		if e.is {
			return lang.Errorf("%[3]s：%[1]s（%[2]v）", "%[3]s: %[2]v (%[1]s)", lang.T(e.chinese, e.english), err, name)
		}
	}
	return lang.Errorf("%s 打不开：%v", "%s: %v", name, err)
}
