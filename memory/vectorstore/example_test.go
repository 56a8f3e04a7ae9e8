package vectorstore_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/vectorstore"
	"github.com/tmc/langchaingo/vectorstores"
)

// Each space gets its own store. This one is a fake; the package documentation shows pgvector.
func ExampleNew() {
	ctx := context.Background()
	server := newServer()
	index, err := vectorstore.New(func(ctx context.Context, name string) (vectorstores.VectorStore, error) {
		fmt.Println("collection", name)
		return server.open(ctx, name)
	}, vectorstore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	index.Put(ctx,
		memory.Record{ID: "north", Space: "map", Vector: []float32{0, 1}},
		memory.Record{ID: "east", Space: "map", Vector: []float32{1, 0}},
	)
	found, err := index.Search(ctx, "map", memory.Query{Vector: []float32{3, 4}}, 5)
	for _, c := range found {
		fmt.Printf("%s %.1f\n", c.ID, c.Score)
	}
	fmt.Println(err)
	fmt.Println(index.Delete(ctx, "map", "north"))
	// Output:
	// collection hearth_60be9861750facbfad8758254a2f76c0
	// north 0.8
	// east 0.6
	// <nil>
	// vectorstore: the index cannot delete
}
