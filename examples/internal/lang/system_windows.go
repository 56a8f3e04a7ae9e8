package lang

import "syscall"

// system returns the language of the user interface.
func system() string {
	call := syscall.NewLazyDLL("kernel32.dll").NewProc("GetUserDefaultUILanguage")
	if call.Find() != nil {
		return ""
	}
	id, _, _ := call.Call()
	const primary, chinese = 0x3ff, 0x04 // the primary language is in the lowest 10 bits
	if id&primary == chinese {
		return string(Chinese)
	}
	return string(English)
}
