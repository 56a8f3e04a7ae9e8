package redact

import "strings"

// A table is lines with '|' between cells, the first of which ends with '|'. The cells of this line announce the values below them:
//
//	| 姓名 | 微信号 |
//	| 小满 | abc_123 |

const (
	maxHeader  = 40 // bytes of a cell in the first line; a longer one announces nothing
	minCell    = 4  // bytes of a value
	maxColumns = 32
)

// table searches the lines of tables in a folded segment, where columns are those of a table before it. It returns the columns
// of a table that may continue after it.
func (c *scanner) table(text string, columns []string) []string {
	if strings.IndexByte(text, '|') < 0 {
		return nil
	}
	at := 0
	for line := range strings.Lines(text) {
		switch {
		case strings.Count(line, "|") < 2:
			columns = nil
		case columns == nil:
			if strings.HasSuffix(strings.TrimRight(line, " \r\n"), "|") { // no command with pipes
				columns = header(line)
			}
		default:
			c.cells(line, at, columns)
		}
		at += len(line)
	}
	c.s = text
	return columns
}

// header returns the columns of the first line of a table, with "" for those that announce nothing.
func header(line string) (columns []string) {
	for cell := range strings.SplitSeq(line, "|") {
		cell = strings.Trim(cell, " *`\n")
		if len(cell) > maxHeader || strings.IndexByte(cell, maskByte) >= 0 {
			cell = ""
		}
		if columns = append(columns, cell); len(columns) == maxColumns {
			break
		}
	}
	return columns
}

// cells searches the cells of a later line, each after the first cell of its column. The line is at at.
func (c *scanner) cells(line string, at int, columns []string) {
	for _, column := range columns {
		cell, rest, more := strings.Cut(line, "|")
		value := strings.TrimLeft(cell, " \t")
		if column != "" && len(strings.Trim(value, " -:")) >= minCell {
			c.cell(column+"：", value, at+len(cell)-len(value))
		}
		if !more {
			break
		}
		line, at = rest, at+len(cell)+1
	}
}

// cell searches a value at at as if lead were before it.
func (c *scanner) cell(lead, value string, at int) {
	n := len(c.found)
	before := c.found[:n:n]
	c.found = nil
	c.scan(lead + value)
	for _, f := range c.found {
		if f.Start >= len(lead) {
			before = append(before, Finding{f.Kind, f.Start + at - len(lead), f.End + at - len(lead)})
		}
	}
	c.found = before
}
