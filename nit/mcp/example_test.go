package mcp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
)

// One bot serves a tool over HTTP. Another bot imports it.
func Example() {
	type in struct {
		City string `json:"city"`
	}
	weather, err := nit.Define("weather", nit.L1, "查天气", func(_ context.Context, in in) (string, error) { return in.City + "：晴", nil }, nit.ReadOnly())
	if err != nil {
		log.Fatal(err)
	}
	var far nit.Registry
	if err := far.Add(weather); err != nil {
		log.Fatal(err)
	}
	server, err := mcp.NewServer(func() *nit.View { return far.View(nit.Principal{Tiers: nit.L1, Platform: "mcp"}) }, mcp.ServerOptions{})
	if err != nil {
		log.Fatal(err)
	}
	handler, err := server.Handler(mcp.HTTPOptions{Token: "secret"})
	if err != nil {
		log.Fatal(err)
	}
	web := httptest.NewServer(handler) // or http.ListenAndServe, or server.Serve(ctx, os.Stdin, os.Stdout)
	defer web.Close()
	defer server.Close()

	var near nit.Registry
	up := make(chan struct{}, 1)
	client, err := mcp.NewClient(&near, mcp.Source{
		Name:   "sky",
		URL:    web.URL,
		Header: http.Header{"Authorization": {"Bearer secret"}},
		Tools:  map[string]mcp.ToolConfig{"weather": {Tier: nit.L1}}, // the default is L3: the owner only
	}, mcp.ClientOptions{
		Approve: mcp.TrustOnFirstUse, // better: ask a human
		OnStatus: func(s mcp.Status) {
			if len(s.Tools) > 0 {
				up <- struct{}{}
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- client.Run(ctx) }()
	<-up

	view := near.View(nit.Principal{Tiers: nit.L1})
	fmt.Println(view.Tools()[0].Function.Name, "-", view.Tools()[0].Function.Description)
	res, err := view.Do(ctx, "sky__weather", `{"city":"杭州"}`)
	fmt.Println(res.Text, err)
	cancel()
	fmt.Println(<-ended, len(near.View(nit.Principal{Tiers: nit.L1}).Tools()))
	// Output:
	// sky__weather - External tool of sky: 查天气
	// 杭州：晴 <nil>
	// <nil> 0
}
