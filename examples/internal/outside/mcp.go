package outside

import (
	"context"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"golang.org/x/sync/errgroup"
)

// MCP contains the flags for tools of MCP servers.
type MCP struct {
	Servers []mcp.Source

	clients []*mcp.Client
}

// Flags defines the flag -mcp.
func (m *MCP) Flags(f *flag.FlagSet) {
	f.Func("mcp", "`NAME=SERVER` adds the tools of an MCP server, a command line or an http URL; may be repeated. NAME:L1=… shows them to everybody, "+
		"NAME:L2=… to everybody after redaction; otherwise only the owner in the app has them. The bearer token of a URL is MCP_TOKEN_NAME in the environment",
		func(s string) error {
			source, err := parseServer(s)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(m.Servers, func(o mcp.Source) bool { return o.Name == source.Name }) {
				return lang.Errorf("名字 %s 已经用了", "the name %s is taken", source.Name)
			}
			m.Servers = append(m.Servers, source)
			return nil
		})
}

var tiers = map[string]nit.Tier{"": nit.L3, "L1": nit.L1, "L2": nit.L2, "L3": nit.L3}

// parseServer parses a value of the flag.
func parseServer(s string) (from mcp.Source, err error) {
	name, server, ok := strings.Cut(s, "=")
	if !ok {
		return from, lang.Errorf("要写成 名字=命令行 或者 名字=网址", "it has the form NAME=COMMAND or NAME=URL")
	}
	from.Name, server = name, strings.TrimSpace(server)
	tier := ""
	if short, t, ok := strings.Cut(name, ":"); ok {
		from.Name, tier = short, strings.ToUpper(t)
	}
	if from.Tier, ok = tiers[tier]; !ok {
		return from, lang.Errorf("%s 不是 L1、L2、L3 之一", "the tier %s is none of L1, L2 and L3", tier)
	}
	if strings.HasPrefix(server, "http://") || strings.HasPrefix(server, "https://") {
		from.URL = server
		if token := os.Getenv("MCP_TOKEN_" + strings.ToUpper(strings.ReplaceAll(from.Name, "-", "_"))); token != "" {
			from.Header = http.Header{"Authorization": {"Bearer " + token}}
		}
	} else {
		from.Command, from.Env = strings.Fields(server), environment()
	}
	_, err = mcp.NewClient(new(nit.Registry), from, mcp.ClientOptions{})
	return from, err
}

// environment returns the variables that programs need to start. Others may be secret.
func environment() (all []string) {
	for _, name := range []string{"PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR", "SystemRoot", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP"} {
		if value, ok := os.LookupEnv(name); ok {
			all = append(all, name+"="+value)
		}
	}
	return all
}

// Bind prepares Run to keep the tools of all servers in a registry. State stores which tools are approved. The operator has
// named the servers, so their tools are approved when they appear first. A tool that changes later is removed; give the server
// another NAME to accept it.
func (m *MCP) Bind(tools *nit.Registry, state nit.State, log *slog.Logger) error {
	m.clients = nil
	for _, source := range m.Servers {
		client, err := mcp.NewClient(tools, source, mcp.ClientOptions{Approve: mcp.TrustOnFirstUse, State: state, Logger: log})
		if err != nil {
			return lang.Errorf("-mcp：%v", "-mcp: %v", err)
		}
		m.clients = append(m.clients, client)
	}
	return nil
}

// Run keeps the connections until ctx ends. It tries a server that is down again. Without servers it returns at once.
func (m *MCP) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, client := range m.clients {
		g.Go(func() error { return client.Run(ctx) })
	}
	return g.Wait()
}
