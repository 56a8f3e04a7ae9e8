package script

import (
	"fmt"
	"unicode/utf8"
)

// A Script is a parsed script with resolved variables. It is immutable and may be run several times, also concurrently.
type Script struct {
	src        string
	calls      []statement
	compatible bool
}

// A statement is a call with an optional variable for its result.
type statement struct {
	pos     int // of the tool name
	name    string
	async   bool
	assigns bool
	target  string // may be "": "$" alone is a variable
	args    []field
}

// A field is an argument, a list item (without a name) or an object entry.
type field struct {
	name  string
	pos   int
	value value
}

// A value is a literal, a variable, a list or an object.
type value struct {
	kind  kind // text, number, variable, openList, openObject, or word for a literal
	pos   int
	text  string // string value or variable name
	num   any    // value of a number or literal
	items []field
}

// literals are the named values of the strict dialect, including the Python spellings that models write.
var literals = map[string]any{"true": true, "false": false, "null": nil, "True": true, "False": false, "None": nil}

// Parse parses a script. An error is an *[Error] of any stage except [StageRun].
func Parse(src string, opts Options) (*Script, error) {
	limits := opts.Limits.orDefaults()
	if exceeds(len(src), limits.ScriptBytes) {
		return nil, newError(StageLex, src, 0, fmt.Sprintf("a script of more than %d bytes", limits.ScriptBytes))
	}
	if !utf8.ValidString(src) {
		return nil, notUTF8(src)
	}
	p := &parser{lex: lexer{src: src, strict: !opts.Legacy, limits: limits}, open: make([]field, 0, 8)}
	s := &Script{src: src, compatible: opts.Legacy, calls: make([]statement, 0, 4)}
	if err := p.script(s); err != nil {
		return nil, p.earliestError(err)
	}
	if err := s.resolve(limits); err != nil {
		return nil, err
	}
	return s, nil
}

func notUTF8(src string) *Error {
	for i, r := range src {
		if _, size := utf8.DecodeRuneInString(src[i:]); r == utf8.RuneError && size == 1 {
			return newError(StageLex, src, i, "not UTF-8")
		}
	}
	return nil
}

// resolve checks the number of calls and that each variable is assigned before its use.
func (s *Script) resolve(limits Limits) *Error {
	if exceeds(len(s.calls), limits.Calls) {
		return s.fault(StageResolve, s.calls[limits.Calls].pos, fmt.Sprintf("more than %d calls", limits.Calls))
	}
	if s.compatible {
		return nil
	}
	known := make(map[string]bool)
	for _, c := range s.calls {
		if v := findUndefined(c.args, known); v != nil {
			return s.fault(StageResolve, v.pos, "no call before assigns $"+v.text)
		}
		if c.assigns {
			known[c.target] = true
		}
	}
	return nil
}

func findUndefined(fields []field, known map[string]bool) *value {
	for i := range fields {
		v := &fields[i].value
		if v.kind == variable && !known[v.text] {
			return v
		}
		if u := findUndefined(v.items, known); u != nil {
			return u
		}
	}
	return nil
}

func (s *Script) fault(stage Stage, pos int, message string) *Error {
	return newError(stage, s.src, pos, message)
}

// A parser parses one script with one token of lookahead.
type parser struct {
	lex  lexer
	tok  token
	open []field // items of all open brackets, the innermost last
}

// earliestError returns a later lexical error if there is one, because lexical errors come before parse errors.
func (p *parser) earliestError(err *Error) *Error {
	if err.Stage == StageLex {
		return err
	}
	for {
		t, lexical := p.lex.next()
		if lexical != nil {
			return lexical
		}
		if t.kind == end {
			return err
		}
	}
}

func (p *parser) errorf(format string, args ...any) *Error {
	return newError(StageParse, p.lex.src, p.tok.pos, fmt.Sprintf(format, args...))
}

func (p *parser) advance() (err *Error) {
	p.tok, err = p.lex.next()
	return err
}

// take consumes a token of kind k if it is next.
func (p *parser) take(k kind) (bool, *Error) {
	if p.tok.kind != k {
		return false, nil
	}
	return true, p.advance()
}

// expect consumes a token that must be of kind k.
func (p *parser) expect(k kind) (token, *Error) {
	t := p.tok
	if t.kind != k {
		return t, p.errorf("expected %s, found %s", k, t.kind)
	}
	return t, p.advance()
}

func (p *parser) script(s *Script) *Error {
	if err := p.advance(); err != nil {
		return err
	}
	for p.tok.kind != end {
		if skipped, err := p.take(semicolon); err != nil {
			return err
		} else if skipped {
			continue
		}
		c, err := p.statement()
		if err != nil {
			return err
		}
		s.calls = append(s.calls, c)
	}
	return nil
}

func (p *parser) statement() (c statement, err *Error) {
	if p.tok.kind == variable {
		c.assigns, c.target = true, p.tok.text
		if err = p.advance(); err == nil {
			_, err = p.expect(equals)
		}
		if err != nil {
			return c, err
		}
	}
	if c.async, err = p.take(async); err != nil {
		return c, err
	}
	name, err := p.expect(word)
	if err != nil {
		return c, err
	}
	c.pos, c.name = name.pos, name.text
	if _, err = p.expect(open); err != nil {
		return c, err
	}
	c.args, err = p.fields(close_, 0, (*parser).argument)
	return c, err
}

// fields parses comma-separated fields and the closing bracket. deep is the nesting depth.
func (p *parser) fields(closing kind, deep int, one func(p *parser, deep int) (field, *Error)) ([]field, *Error) {
	if exceeds(deep, p.lex.limits.Depth) {
		return nil, p.errorf("more than %d lists within each other", p.lex.limits.Depth)
	}
	first := len(p.open)
	var names map[string]bool // lazily: most lists are short
	for p.tok.kind != closing || len(p.open) > first && !p.lex.strict {
		if len(p.open)-first == p.lex.limits.List {
			return nil, p.errorf("more than %d items", p.lex.limits.List)
		}
		f, err := one(p, deep)
		if err != nil {
			return nil, err
		}
		if closing != closeList && p.lex.strict && isDuplicate(p.open[first:], &names, f.name) {
			return nil, newError(StageParse, p.lex.src, f.pos, fmt.Sprintf("%q is given twice", f.name))
		}
		p.open = append(p.open, f)
		if more, err := p.take(comma); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	if p.tok.kind != closing && len(p.open) > first {
		return nil, p.errorf(`expected "," or %s, found %s`, closing, p.tok.kind)
	}
	all := append([]field(nil), p.open[first:]...)
	p.open = p.open[:first]
	_, err := p.expect(closing)
	return all, err
}

// isDuplicate reports whether a field already has this name.
func isDuplicate(all []field, names *map[string]bool, name string) bool {
	if len(all) < 8 {
		for i := range all {
			if all[i].name == name {
				return true
			}
		}
		return false
	}
	if *names == nil {
		*names = make(map[string]bool)
		for i := range all {
			(*names)[all[i].name] = true
		}
	}
	if (*names)[name] {
		return true
	}
	(*names)[name] = true
	return false
}

// argument parses name=value.
func (p *parser) argument(deep int) (f field, err *Error) {
	name, err := p.expect(word)
	if err != nil {
		return f, err
	}
	if _, err = p.expect(equals); err != nil {
		return f, err
	}
	f.name, f.pos = name.text, name.pos
	f.value, err = p.value(deep)
	return f, err
}

// item parses a list item.
func (p *parser) item(deep int) (f field, err *Error) {
	f.value, err = p.value(deep)
	return f, err
}

// entry parses "name": value. A name needs no quotes.
func (p *parser) entry(deep int) (f field, err *Error) {
	f.name, f.pos = p.tok.text, p.tok.pos
	if p.tok.kind != text && p.tok.kind != word {
		return f, p.errorf("expected a string or a name, found %s", p.tok.kind)
	}
	if err = p.advance(); err != nil {
		return f, err
	}
	if _, err = p.expect(colon); err != nil {
		return f, err
	}
	f.value, err = p.value(deep)
	return f, err
}

func (p *parser) value(deep int) (v value, err *Error) {
	t := p.tok
	v = value{kind: t.kind, pos: t.pos, text: t.text, num: t.num}
	switch t.kind {
	case text, number, variable:
		return v, p.advance()
	case openList:
		if err = p.advance(); err == nil {
			v.items, err = p.fields(closeList, deep+1, (*parser).item)
		}
		return v, err
	case openObject:
		if err = p.advance(); err == nil {
			v.items, err = p.fields(closeObject, deep+1, (*parser).entry)
		}
		return v, err
	case word:
		if known, ok := literals[t.text]; ok && p.lex.strict {
			v.num = known
			return v, p.advance()
		}
	}
	return v, p.errorf("expected a value, found %s", t.kind)
}
