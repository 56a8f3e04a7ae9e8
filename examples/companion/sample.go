package main

import (
	"embed"
	"io/fs"
)

//go:embed sample
var files embed.FS

// sample is the default character, in the format of -persona.
func sample() fs.FS {
	dir, err := fs.Sub(files, "sample")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return dir
}
