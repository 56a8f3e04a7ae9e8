//go:build !race

package social_test

// raceDetector reports whether the race detector runs.
const raceDetector = false
