package lang

import (
	"context"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"slices"
	"strings"
	"syscall"
)

// textError is an error in both languages.
type textError struct{ Text }

// Errorf returns an error with a text in both languages. errors.Is and errors.As find the
// first argument that is an error.
func Errorf(chinese, english string, args ...any) error {
	return &textError{T(chinese, english, args...)}
}

// Error returns the English text. Causes have no hints.
func (e *textError) Error() string {
	t := e.Text
	t.args = slices.Clone(t.args)
	for i, a := range t.args {
		if err, ok := a.(error); ok {
			t.args[i] = err.Error()
		}
	}
	return English.Text(t)
}

// Unwrap returns the first argument that is an error.
func (e *textError) Unwrap() error {
	for _, a := range e.args {
		if err, ok := a.(error); ok {
			return err
		}
	}
	return nil
}

// inLanguage is an error that the user wants in a language.
type inLanguage struct {
	error
	l Language
}

// Unwrap returns the error.
func (e inLanguage) Unwrap() error { return e.error }

// Wrap returns err with the language that a configuration file chose. See [Print].
func (l Language) Wrap(err error) error {
	if err == nil || !l.Valid() {
		return err
	}
	return inLanguage{err, l}
}

// Print returns the text of err for the user of a program with these arguments.
func Print(err error, args []string) string {
	l := Of(args)
	if e := (inLanguage{}); errors.As(err, &e) {
		l = e.l
	}
	return l.Error(err)
}

// Error returns the text of err in the language. It adds an explanation to a cause that it knows.
func (l Language) Error(err error) string {
	switch e := err.(type) {
	case inLanguage:
		return l.Error(e.error)
	case *textError:
		return l.Text(e.Text)
	case interface{ Unwrap() []error }:
		var lines []string
		for _, one := range e.Unwrap() {
			lines = append(lines, one.Error())
		}
		if err.Error() != strings.Join(lines, "\n") { // not of errors.Join
			break
		}
		for i, one := range e.Unwrap() {
			lines[i] = l.Error(one)
		}
		return strings.Join(lines, "\n")
	}
	text := err.Error()
	if inner := (*textError)(nil); errors.As(err, &inner) {
		return strings.Replace(text, inner.Error(), l.Text(inner.Text), 1)
	}
	for _, c := range causes {
		if !c.is(err) {
			continue
		}
		if l == Chinese {
			return c.chinese + "（" + text + "）"
		}
		if c.english != "" {
			return text + " (" + c.english + ")"
		}
		break
	}
	return text
}

// A cause is a common cause of errors.
type cause struct {
	is               func(error) bool
	chinese, english string // the English text is a hint behind the text of the error
}

func one(of ...error) func(error) bool {
	return func(err error) bool { return slices.ContainsFunc(of, func(e error) bool { return errors.Is(err, e) }) }
}

// Windows has its own numbers for errors of sockets.
const (
	wsaAddrInUse   = syscall.Errno(10048)
	wsaUnreachable = syscall.Errno(10051)
	wsaNoHost      = syscall.Errno(10065)
	wsaRefused     = syscall.Errno(10061)
)

var causes = []cause{
	{one(fs.ErrNotExist), "没有这个文件或目录", ""},
	{one(fs.ErrExist), "已经有这个文件了", ""},
	{one(fs.ErrPermission), "没有权限", ""},
	{one(syscall.EISDIR), "这是目录，不是文件", ""},
	{one(syscall.ENOTDIR), "这不是目录", ""},
	{one(syscall.ENOSPC), "磁盘满了", ""},
	{one(syscall.EADDRINUSE, wsaAddrInUse), "这个端口已经有程序在用：换一个端口，或者先关掉那个程序", "choose another port, or end the program that uses it"},
	{one(syscall.ECONNREFUSED, wsaRefused), "那里没有程序在监听：看看它启动了没有，端口对不对", "is the program there running, and is the port right?"},
	{one(syscall.ENETUNREACH, syscall.EHOSTUNREACH, wsaUnreachable, wsaNoHost), "网络不通：看看这台电脑联网了没有", "is this computer online?"},
	{func(err error) bool { return errors.As(err, new(*net.DNSError)) }, "找不到这个主机：看看这台电脑联网了没有，地址有没有写错", "is this computer online, and is the host right?"},
	{func(err error) bool {
		return errors.As(err, new(x509.UnknownAuthorityError)) || errors.As(err, new(x509.HostnameError)) || errors.As(err, new(x509.CertificateInvalidError))
	}, "对方的证书不可信：看看系统时间和代理", "check the clock and the proxy of this computer"},
	{func(err error) bool {
		var network net.Error
		return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout()
	}, "等了很久没有回应", ""},
}
