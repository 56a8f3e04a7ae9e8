// Package hfc is Heart Flow Chat over package heartflow: a being that looks at few chats at a time, chats along in some,
// and gives its full attention to one or two.
package hfc
