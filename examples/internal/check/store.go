package check

import (
	"errors"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/memory/sqlite"
)

// StoreError returns an error of opening the memory file of a flag, with what to do.
func StoreError(name, file string, err error) error {
	for _, e := range []struct {
		is               error
		chinese, english string
	}{
		{sqlite.ErrNewerVersion, "这个文件是更新版本的程序写的：用新版本打开它，或者换一个文件", "start the newer version, or name another file"},
		{sqlite.ErrNotMemoryFile, "这不是记忆文件：换一个文件名", "name another file"},
		{sqlite.ErrCorrupt, "文件坏了：换上备份，或者换一个文件", "restore a backup, or name another file"},
		{sqlite.ErrDiskFull, "磁盘满了：腾出地方再启动", "free some space"},
		{sqlite.ErrBusy, "另一个程序正开着它：先关掉那个程序，或者换一个文件", "end the other program, or name another file"},
		{sqlite.ErrReadOnly, "文件写不了：看看它和所在目录的权限", "check the permissions of the file and its directory"},
	} {
		if errors.Is(err, e.is) {
			return lang.Errorf("%[1]s %[2]s：%[3]s（%[4]v）", "%[1]s: %[4]v (%[3]s)", name, file, lang.T(e.chinese, e.english), err)
		}
	}
	return lang.Errorf("%[1]s %[2]s 打不开：%[3]v", "%[1]s: %[3]v", name, file, err)
}
