// Package browser drives a headless Chromium, for tests of the pages that this module writes. It speaks the DevTools
// protocol over a pipe: no port is opened, and a browser whose test was killed ends by itself.
//
// [Open] skips the test where no Chromium is installed, unless the environment says HEARTH_BROWSER=required.
package browser
