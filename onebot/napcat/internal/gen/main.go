// Command gen generates the actions of package napcat from actions.tsv. The table documents its format.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run generates the files of the package in dir.
func run(dir string) error {
	table, err := os.ReadFile(filepath.Join(dir, "actions.tsv"))
	if err != nil {
		return err
	}
	files, err := generate(table)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
