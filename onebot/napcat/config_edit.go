package napcat

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
)

// Names of the entries added by Apply. NapCat identifies entries by name.
const (
	httpName    = "hearth-http"
	wsName      = "hearth-ws"
	reverseName = "hearth-reverse"
)

// emptyConfig returns NapCat's default for a missing file.
func emptyConfig() map[string]any {
	network := map[string]any{}
	for _, list := range []string{"httpServers", "httpSseServers", "httpClients", "websocketServers", "websocketClients", "plugins"} {
		network[list] = []any{}
	}
	return map[string]any{
		"network": network, "musicSignUrl": "", "enableLocalFile2Url": false, "parseMultMsg": false, "imageDownloadProxy": "",
	}
}

// An entry is a wanted entry of the file.
type entry struct {
	list  string         // "httpServers", …
	name  string         // name of a new entry
	by    string         // the field that identifies an entry with the same purpose and another name
	must  map[string]any // required fields
	begin map[string]any // additional fields of a new entry
}

func (c Config) entries() []entry {
	var all []entry
	if c.HTTPPort != 0 {
		all = append(all, entry{"httpServers", httpName, "port",
			map[string]any{"enable": true, "host": "127.0.0.1", "port": number(c.HTTPPort), "token": c.Token},
			map[string]any{"enableCors": false, "enableWebsocket": false, "messagePostFormat": "array", "debug": false}})
	}
	if c.WSPort != 0 {
		all = append(all, entry{"websocketServers", wsName, "port",
			map[string]any{"enable": true, "host": "127.0.0.1", "port": number(c.WSPort), "token": c.Token},
			map[string]any{"messagePostFormat": "array", "reportSelfMessage": true, "enableForcePushEvent": true,
				"heartInterval": number(30000), "debug": false}})
	}
	if c.ReverseURL != "" {
		all = append(all, entry{"websocketClients", reverseName, "url",
			map[string]any{"enable": true, "url": c.ReverseURL, "token": c.Token},
			map[string]any{"messagePostFormat": "array", "reportSelfMessage": true, "reconnectInterval": number(5000),
				"heartInterval": number(30000), "debug": false}})
	}
	return all
}

func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// An editor changes a file as wanted and records its changes.
type editor struct {
	doc      map[string]any
	changes  []string
	problems []string // problems it does not fix
}

func (e *editor) apply(c Config) {
	network, ok := part[map[string]any](e, e.doc, "network", "network", map[string]any{})
	if !ok {
		return
	}
	for _, want := range c.entries() {
		path := "network." + want.list
		list, ok := part[[]any](e, network, want.list, path, []any{})
		if !ok {
			continue
		}
		i := find(list, want)
		if i < 0 {
			made := maps.Clone(want.begin)
			maps.Copy(made, want.must)
			made["name"] = want.name
			network[want.list] = append(list, made)
			e.changes = append(e.changes, fmt.Sprintf("%s has no entry for %s %v", path, want.by, want.must[want.by]))
			continue
		}
		e.correct(list[i].(map[string]any), want, fmt.Sprintf("%s[%d]", path, i))
	}
	e.findProblems(network, c.AllowNonLoopback)
}

// part returns a field of the file and creates it if missing. A field of another form is a problem.
func part[T any](e *editor, parent map[string]any, key, path string, empty T) (T, bool) {
	v, there := parent[key]
	if !there || v == nil {
		parent[key] = empty
		return empty, true
	}
	t, ok := v.(T)
	if !ok {
		e.problems = append(e.problems, path+" has an unexpected form")
	}
	return t, ok
}

// find returns the index of the entry with that name, or else of the entry with the same purpose; -1 if there is
// none.
func find(list []any, want entry) int {
	named := func(v any) bool {
		m, ok := v.(map[string]any)
		return ok && m["name"] == want.name
	}
	if i := slices.IndexFunc(list, named); i >= 0 {
		return i
	}
	return slices.IndexFunc(list, func(v any) bool {
		m, ok := v.(map[string]any)
		return ok && m[want.by] == want.must[want.by]
	})
}

func (e *editor) correct(have map[string]any, want entry, path string) {
	for _, key := range slices.Sorted(maps.Keys(want.must)) {
		value := want.must[key]
		switch {
		case have[key] == value:
			continue
		case key == "token":
			e.changes = append(e.changes, path+".token is another")
		default:
			e.changes = append(e.changes, fmt.Sprintf("%s.%s is %s, want %s", path, key, show(have[key]), show(value)))
		}
		have[key] = value
	}
}

// findProblems finds enabled servers that are open to the network, and duplicate ports.
func (e *editor) findProblems(network map[string]any, allowOpen bool) {
	ports := map[any]string{}
	for _, name := range []string{"httpServers", "httpSseServers", "websocketServers"} {
		list, _ := network[name].([]any)
		for i, v := range list {
			m, ok := v.(map[string]any)
			if !ok || m["enable"] != true {
				continue
			}
			path := fmt.Sprintf("network.%s[%d]", name, i)
			if !allowOpen && !isLoopback(m) {
				e.problems = append(e.problems, fmt.Sprintf("%s.host is %s, which is open to the network: want \"127.0.0.1\"", path, show(m["host"])))
			}
			if port, ok := m["port"].(json.Number); ok {
				if other, taken := ports[port]; taken {
					e.problems = append(e.problems, fmt.Sprintf("%s.port is also used by %s", path, other))
				}
				ports[port] = path + ".port " + port.String()
			}
		}
	}
}

// isLoopback reports whether a server listens on loopback. NapCat's default is 127.0.0.1.
func isLoopback(server map[string]any) bool {
	host, there := server["host"]
	if !there {
		return true
	}
	text, _ := host.(string)
	addr, err := netip.ParseAddr(text)
	return text == "localhost" || err == nil && addr.IsLoopback()
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(text)
}
