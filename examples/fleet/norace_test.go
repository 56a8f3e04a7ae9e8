//go:build !race

package main

// raceDetector reports whether the race detector runs.
const raceDetector = false
