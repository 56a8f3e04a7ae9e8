package chromem_test

import (
	"context"
	"fmt"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
)

// You can query an index directly. Usually a memory.Memory does this, with vectors of its embedder.
func Example() {
	ctx := context.Background()
	x := chromem.New()
	x.Put(ctx,
		memory.Record{ID: "north", Space: "map", Vector: []float32{0, 1}},
		memory.Record{ID: "east", Space: "map", Vector: []float32{1, 0}},
	)
	found, err := x.Search(ctx, "map", memory.Query{Vector: []float32{3, 4}}, 5)
	for _, c := range found {
		fmt.Printf("%s %.1f\n", c.ID, c.Score)
	}
	fmt.Println(err)
	// Output:
	// north 0.8
	// east 0.6
	// <nil>
}
