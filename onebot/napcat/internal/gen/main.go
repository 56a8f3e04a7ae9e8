// Command gen makes package napcat's actions from actions.tsv; the table says how it is read.
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

// run makes the files of the package in dir anew.
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
