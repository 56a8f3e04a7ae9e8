package main

import (
	"fmt"
	"go/token"
	"strings"
)

// section is a part of the table and a generated file.
type section struct {
	name    string
	actions []action
}

// action is a line of the table.
type action struct {
	wire, method, result, what string
	params                     []param
}

// param is one parameter.
type param struct {
	wire, name string // name in the protocol, and name of the field in Go
	list       bool
	typ        string // Go type of one element
	leave      byte   // '?': omitted if zero, '*': omitted if nil, 0: always sent
	value      string // constant value; not a parameter in Go
}

var types = map[string]string{"int": "int64", "float": "float64", "str": "string", "bool": "bool", "any": "any"}

// parse parses the table.
func parse(table string) ([]section, error) {
	var all []section
	seen := map[string]bool{}
	for n, line := range strings.Split(table, "\n") {
		if name, ok := strings.CutPrefix(line, "# section: "); ok {
			all = append(all, section{name: name})
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		a, err := parseAction(line)
		if err == nil && (len(all) == 0 || seen[a.wire] || seen[a.method]) {
			err = fmt.Errorf("%s: duplicate, or outside a section", a.wire)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		seen[a.wire], seen[a.method] = true, true
		s := &all[len(all)-1]
		s.actions = append(s.actions, a)
	}
	return all, nil
}

func parseAction(line string) (a action, err error) {
	cells := strings.Split(line, "\t")
	if len(cells) != 5 {
		return a, fmt.Errorf("%d cells, want 5", len(cells))
	}
	a = action{wire: cells[0], method: cells[1], result: cells[3], what: cells[4]}
	if !token.IsExported(a.method) || !token.IsIdentifier(a.method) || a.wire == "" || a.result == "" || a.what == "" {
		return a, fmt.Errorf("%s: empty cell or invalid name", a.wire)
	}
	for _, cell := range strings.Fields(cells[2]) {
		p, err := parseParam(cell)
		if err != nil {
			return a, fmt.Errorf("%s: %w", a.wire, err)
		}
		a.params = append(a.params, p)
	}
	return a, nil
}

func parseParam(cell string) (p param, err error) {
	if wire, value, ok := strings.Cut(cell, "="); ok {
		return param{wire: wire, value: value}, nil
	}
	name, typ, ok := strings.Cut(cell, ":")
	if !ok || typ == "" {
		return p, fmt.Errorf("parameter %q has no type", cell)
	}
	if p.wire, p.name, ok = strings.Cut(name, "@"); !ok {
		p.name = camel(p.wire)
	}
	if c := typ[len(typ)-1]; c == '?' || c == '*' {
		p.leave, typ = c, typ[:len(typ)-1]
	}
	typ, p.list = strings.CutPrefix(typ, "[]")
	if p.typ = types[typ]; p.typ == "" {
		return p, fmt.Errorf("parameter %q has an unknown type", cell)
	}
	return p, nil
}

// words in capitals
var large = map[string]string{"id": "ID", "url": "URL", "ids": "IDs", "sha256": "SHA256", "md5": "MD5"}

// camel converts group_id to GroupID.
func camel(wire string) string {
	var b strings.Builder
	for _, w := range strings.Split(wire, "_") {
		if l, ok := large[w]; ok {
			b.WriteString(l)
		} else if w != "" {
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}

// argument converts GroupID to groupID and URL to url.
func (p param) argument() string {
	i := 0
	for i < len(p.name) && 'A' <= p.name[i] && p.name[i] <= 'Z' {
		i++
	}
	if i > 1 && i < len(p.name) && 'a' <= p.name[i] && p.name[i] <= 'z' && p.name[i:] != "s" {
		i-- // the last capital letter begins the next word
	}
	s := strings.ToLower(p.name[:i]) + p.name[i:]
	if token.IsKeyword(s) {
		s += "_"
	}
	return s
}

// goType returns the parameter's Go type.
func (p param) goType() string {
	switch {
	case p.list:
		return "[]" + p.typ
	case p.leave == '*':
		return "*" + p.typ
	}
	return p.typ
}
