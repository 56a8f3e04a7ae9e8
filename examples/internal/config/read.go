package config

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"go.yaml.in/yaml/v3"
)

// set parses the text of a file and sets the flags that the command line does not set.
func (c *File) set(f *flag.FlagSet, o Options, text []byte) error {
	if strings.EqualFold(filepath.Ext(c.Path), ".json") {
		text = asYAML(text)
	}
	var doc, second yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return c.syntaxError(err, text)
	}
	if err := d.Decode(&second); err == nil {
		return lang.Errorf("%s:%d: 一个文件里只能有一份：去掉 --- 那一行", "%s:%d: the file must be one document: remove the line ---", c.Path, second.Line)
	} else if !errors.Is(err, io.EOF) {
		return c.syntaxError(err, text)
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) { // nothing but comments
		return nil
	}
	r := reader{File: c, flags: f, o: o, given: map[string]bool{}}
	f.Visit(func(f *flag.Flag) { r.given[f.Name] = true })
	r.readTop(doc.Content[0], text)
	return r.err(c.Path)
}

// A reader reads the nodes of one file.
type reader struct {
	*File
	mistakes
	flags *flag.FlagSet
	o     Options
	given map[string]bool // flags of the command line
}

func (r *reader) readTop(root *yaml.Node, text []byte) {
	keys := r.keys()
	for key, value := range r.entries(root, lang.T("每一项", "the file"), text) {
		r.lines[key.Value] = key.Line
		switch {
		case key.Value == chatsKey:
			r.readChats(value)
		case key.Value == modelsKey && r.o.Purposes != nil:
			r.readModels(value)
		case isChat(key.Value): // as in a JSON file, which has only chats
			r.readChat(key, value)
		case slices.Contains(own, key.Value):
			r.add(key.Line, "%s 只能写在命令行上", "%s is for the command line only", key.Value)
		case r.flags.Lookup(key.Value) != nil:
			r.readFlag(key, value)
		case fieldOf(key.Value) != nil:
			r.add(key.Line, "%q 是聊天的设置：放到 %s: 的 default: 或者某个聊天下面", "%q is a setting of chats: put it below %s: default: or a chat", key.Value, chatsKey)
		default:
			r.add(key.Line, "没有 %q 这一项%s", "unknown key %q%s", key.Value, lang.DidYouMean(key.Value, keys))
		}
	}
}

// keys returns the keys of the top level.
func (r *reader) keys() (names []string) {
	r.flags.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(own, f.Name) {
			names = append(names, f.Name)
		}
	})
	if r.o.Purposes != nil {
		names = append(names, modelsKey)
	}
	return append(names, chatsKey)
}

// entries iterates over the entries of a mapping. It reports other nodes and duplicate keys.
func (r *reader) entries(n *yaml.Node, what any, text []byte) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		if n = resolved(n); isNull(n) {
			return
		}
		if n.Kind != yaml.MappingNode {
			r.add(n.Line, "%s 应该是「键: 值」这样的行%s", "%s must have lines such as key: value%s", what, colonHint(text))
			return
		}
		first := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], resolved(n.Content[i+1])
			if line, ok := first[key.Value]; ok {
				r.add(key.Line, "%q 写了两次，第 %d 行已经有了", "duplicate key %q, which is in line %d already", key.Value, line)
				continue
			}
			if first[key.Value] = key.Line; !yield(key, value) {
				return
			}
		}
	}
}

// readFlag sets a flag, unless the command line has it.
func (r *reader) readFlag(key, value *yaml.Node) {
	if isNull(value) { // the key alone means the default
		return
	}
	def := r.flags.Lookup(key.Value)
	like, single := zeroOf(def)
	if !single {
		r.readRepeated(key, value, def)
		return
	}
	var text string
	_, list := like.(string)
	switch {
	case value.Kind == yaml.ScalarNode:
		text = strings.TrimRight(value.Value, "\n")
		if value.Style == 0 && strings.HasPrefix(text, "“") && strings.HasSuffix(text, "”") {
			r.add(key.Line, "%s 的引号是全角的 “”：换成半角的 \"，或者去掉", "%s has the quotes “ and ”: write \" or none", key.Value)
			return
		}
	case value.Kind == yaml.SequenceNode && list:
		items, ok := scalars(value)
		if !ok {
			r.add(value.Line, "%s：列表里应该是一个个的值", "%s: a list must have single values", key.Value)
			return
		}
		text = strings.Join(items, ",")
	default:
		r.add(key.Line, "%s 应该是单个值%s", "%s must have a single value%s", key.Value, map[bool]lang.Text{true: lang.T("，或者一列值", " or a list of values")}[list])
		return
	}
	before := def.Value.String()
	if _, isBool := like.(bool); isBool {
		text = asBool(text)
	}
	if err := def.Value.Set(text); err != nil {
		r.add(key.Line, "%s：%q 不是%s", "%s: %q is no %s", key.Value, text, program.KindOf(like))
		return
	}
	if r.given[key.Value] {
		def.Value.Set(before)
		return
	}
	r.values[key.Value] = text
}

// zeroOf returns a value of the flag's type. It returns ok = false for a flag of flag.Func, which may be repeated.
func zeroOf(f *flag.Flag) (v any, ok bool) {
	g, ok := f.Value.(flag.Getter)
	if !ok {
		return nil, false
	}
	return g.Get(), true
}

// readRepeated sets a flag that may be repeated, once for each item of a list.
func (r *reader) readRepeated(key, value *yaml.Node, f *flag.Flag) {
	items := []string{value.Value}
	if value.Kind == yaml.SequenceNode {
		items, _ = scalars(value)
	} else if value.Kind != yaml.ScalarNode {
		items = nil
	}
	if items == nil {
		r.add(key.Line, "%s 应该是单个值，或者一列值", "%s must have a single value or a list of values", key.Value)
		return
	}
	if r.given[key.Value] {
		return
	}
	for _, item := range items {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		if err := f.Value.Set(item); err != nil {
			r.add(key.Line, "%s：%q：%v", "%s: %q: %v", key.Value, item, err)
		}
		r.values[key.Value] += item + "\n"
	}
}

// asBool returns true or false for the other words that YAML files have for them.
func asBool(s string) string {
	switch strings.ToLower(s) {
	case "yes", "on":
		return "true"
	case "no", "off":
		return "false"
	}
	return s
}

func (r *reader) readChats(n *yaml.Node) {
	for key, value := range r.entries(n, chatsKey, nil) {
		r.readChat(key, value)
	}
}

// defaultChat is the key of the settings of all chats.
const defaultChat = "default"

func (r *reader) readChat(key, value *yaml.Node) {
	var chat persona.Chat
	if key.Value != defaultChat {
		var err error
		if chat, err = parseChat(key.Value); err != nil {
			r.add(key.Line, "%v", "%v", err)
			return
		}
	}
	if r.Chats == nil {
		r.Chats = map[persona.Chat]social.ChatSettings{}
	}
	if _, twice := r.Chats[chat]; twice {
		r.add(key.Line, "%q 写了两次", "duplicate key %q", key.Value)
		return
	}
	r.Chats[chat] = r.settings(key.Value, value)
}

// isChat reports whether a key looks like the address of a chat.
func isChat(key string) bool { return strings.Count(key, ":") == 2 }

var digits = regexp.MustCompile(`^[0-9]+$`)

// parseChat parses the address of a chat.
func parseChat(key string) (chat persona.Chat, err error) {
	form := lang.T("写 qq:group:123456、qq:private:123456 或者 default", "a chat is qq:group:123456, qq:private:123456 or default")
	if digits.MatchString(key) {
		return chat, lang.Errorf("没有 %q 这样的聊天：是不是 %q？（%s）", "unknown chat %q: did you mean %q? (%s)", key, "qq:group:"+key, form)
	}
	parts := strings.Split(key, ":")
	if len(parts) != 3 {
		return chat, lang.Errorf("没有 %q 这样的聊天%s（%s）", "unknown chat %q%s (%s)", key, lang.DidYouMean(key, []string{defaultChat}), form)
	}
	right := []string{"qq", lang.Nearest(parts[1], []string{persona.Group, persona.Private}), strings.TrimSpace(parts[2])}
	switch {
	case !digits.MatchString(right[2]):
		return chat, lang.Errorf("没有 %q 这样的聊天：最后应该是群号或 QQ 号（%s）", "unknown chat %q: its last part must be a QQ number (%s)", key, form)
	case right[1] == "":
		return chat, lang.Errorf("没有 %q 这样的聊天（%s）", "unknown chat %q (%s)", key, form)
	case !slices.Equal(parts, right):
		return chat, lang.Errorf("没有 %q 这样的聊天：是不是 %q？", "unknown chat %q: did you mean %q?", key, strings.Join(right, ":"))
	}
	return persona.Chat{Platform: parts[0], Kind: parts[1], ID: parts[2]}, nil
}

func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func scalars(n *yaml.Node) (texts []string, ok bool) {
	texts = []string{}
	for _, item := range n.Content {
		if item = resolved(item); item.Kind != yaml.ScalarNode || isNull(item) {
			return nil, false
		}
		texts = append(texts, item.Value)
	}
	return texts, true
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// syntaxError returns an error of the YAML parser with the place in the form of the other errors.
func (c *File) syntaxError(err error, text []byte) error {
	says := strings.TrimPrefix(err.Error(), "yaml: ")
	line, hint := 1, lang.Text{}
	if m := yamlLine.FindStringSubmatch(says); m != nil {
		line, _ = strconv.Atoi(m[1])
		says = strings.Replace(says, m[0], "", 1)
	}
	if bytes.ContainsRune(text, '\t') && strings.Contains(says, "cannot start any token") {
		hint = lang.T("：缩进用空格，不用 Tab", ": indent with spaces, not with tabs")
	}
	return lang.Errorf("%s:%d: 不是正确的 YAML：%s%s%s", "%s:%d: this is no YAML: %s%s%s", c.Path, line, says, hint, colonHint(text))
}

var (
	wide  = regexp.MustCompile(`(?m)^\s*[a-z_-]+：`)
	tight = regexp.MustCompile(`(?m)^([a-z-]+):[^\s:]`)
)

// colonHint returns a hint for a file with a full-width colon after a key, or with a colon that no space follows.
func colonHint(text []byte) lang.Text {
	line := func(at []int) int { return 1 + bytes.Count(text[:at[1]], []byte("\n")) }
	if at := wide.FindIndex(text); at != nil {
		return lang.T("（第 %d 行的冒号是全角的 ：，要用半角的 :）", " (line %d has a full-width colon ： where : must stand)", line(at))
	}
	for _, at := range tight.FindAllSubmatchIndex(text, -1) {
		if key := string(text[at[2]:at[3]]); !strings.HasPrefix(key, "qq") { // such as qq:group:714285
			return lang.T("（第 %d 行的冒号后面少一个空格）", " (line %d has no space behind its colon)", line(at))
		}
	}
	return lang.Text{}
}

var surrogates = regexp.MustCompile(`(?i)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})`)

// asYAML returns a JSON text in the form of YAML. The two differ in tabs and in escapes of characters such as emoji.
func asYAML(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\t"), []byte(" ")) // JSON has tabs only between its parts
	return surrogates.ReplaceAllFunc(text, func(pair []byte) []byte {
		m := surrogates.FindSubmatch(pair)
		high, _ := strconv.ParseUint(string(m[1]), 16, 16)
		low, _ := strconv.ParseUint(string(m[2]), 16, 16)
		return []byte(string(utf16.DecodeRune(rune(high), rune(low))))
	})
}
