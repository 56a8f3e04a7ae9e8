package flat_test

import (
	"context"
	"fmt"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/flat"
)

// You can query an index directly. Usually a memory.Memory does this, with vectors of its embedder.
func Example() {
	ctx := context.Background()
	x := flat.New()
	x.Put(ctx,
		memory.Record{ID: "north", Space: "map", Vector: []float32{0, 1}},
		memory.Record{ID: "east", Space: "map", Vector: []float32{1, 0}, Tags: []string{"sunrise"}},
	)
	for _, q := range []memory.Query{
		{Vector: []float32{3, 4}},
		{Vector: []float32{3, 4}, Tags: []string{"sunrise"}},
	} {
		found, err := x.Search(ctx, "map", q, 5)
		fmt.Println(found, err)
	}
	// Output:
	// [{north 0.8 0} {east 0.6 0}] <nil>
	// [{east 0.6 0}] <nil>
}
