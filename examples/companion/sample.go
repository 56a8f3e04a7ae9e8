package main

import (
	"embed"
	"io/fs"
)

//go:embed sample page.html page.css
var files embed.FS

// sample is the persona of who names none: a directory as -persona wants one.
func sample() fs.FS {
	dir, err := fs.Sub(files, "sample")
	if err != nil {
		panic(err) // it was there when this was built
	}
	return dir
}
