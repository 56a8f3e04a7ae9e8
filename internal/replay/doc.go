// Package replay runs the buffer and the attention of one bot on virtual time. Its input is a log of messages. It does in one
// loop, in order of time, what a bot does in goroutines and with timers. The decisions are the same; a test in
// examples/replay compares them with those of a live bot.
//
// The caller says what the model does in a turn: see [Options].Answer. Nothing is sent, and no model is asked.
package replay
