package chromem_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/chromem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What chromem-go v0.7.0 does to those who trust it, and what holds that nothing of it comes through:
//
//	files that a kill tears               TestNothingIsCalledThatHarms, TestNoFilesNoNetwork
//	files named by 32 bits of a hash      TestHashCollision
//	Delete with an empty filter           TestNothingIsCalledThatHarms, memorytest Delete
//	missing metadata equals ""            memorytest Fields: no filter of chromem-go is used
//	metadata and vectors are shared       memorytest Copies
//	lengths are not checked               TestRefusedVectorsLeaveNothing
//	zero vectors, NaN                     TestRefusedVectorsLeaveNothing, TestNoVectorNoAnswer, TestExtremeVectors
//	more asked than there are             memorytest More, Empty
//	ties in random order                  memorytest Ties, TestAgainstNaive
//	files lag behind memory               TestNothingIsCalledThatHarms, TestPutWhileOthersDelete
//	export beside writers dies            TestNothingIsCalledThatHarms
//	a collection made again is emptied    memorytest Race: all make the same space at once
//	negative queries                      TestNothingIsCalledThatHarms
//	races of GetCollection and Delete     TestNothingIsCalledThatHarms; all of these under -race
//	one waiting writer stalls all readers TestOtherSpacesDoNotWait
//	only given vectors are normalised     TestExtremeVectors: all are, here
//	the default embedder is OpenAI's      TestNothingIsCalledThatHarms, TestNoFilesNoNetwork

// TestNothingIsCalledThatHarms reads the code: of chromem-go only these calls are made, and none with a filter.
func TestNothingIsCalledThatHarms(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "index.go", nil, 0)
	require.NoError(t, err)
	harmful := map[string]bool{}
	for _, name := range []string{
		"NewPersistentDB", "Export", "ExportToFile", "ExportToWriter", "Import", "ImportFromFile", "ImportFromReader", "GetCollection", "GetOrCreateCollection", "ListCollections",
		"DeleteCollection", "Reset", "Query", "QueryWithOptions", "Add", "AddConcurrently", "AddDocuments", "NewEmbeddingFuncDefault",
	} {
		harmful[name] = true
	}
	isNil := func(e ast.Expr) bool { id, ok := e.(*ast.Ident); return ok && id.Name == "nil" }
	seen := map[string]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		to, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := to.X.(*ast.SelectorExpr); (ok && of.Sel.Name == "docs") || to.Sel.Name == "CreateCollection" || to.Sel.Name == "NewDB" {
			seen[to.Sel.Name]++
			assert.False(t, harmful[to.Sel.Name], to.Sel.Name)
		}
		switch {
		case harmful[to.Sel.Name] && isPackage(to.X, "chromem"):
			t.Error(to.Sel.Name)
		case to.Sel.Name == "QueryEmbedding":
			assert.True(t, len(call.Args) == 5 && isNil(call.Args[3]) && isNil(call.Args[4]), "a query with a filter")
		case to.Sel.Name == "CreateCollection":
			id, ok := call.Args[2].(*ast.Ident)
			assert.True(t, ok && id.Name == "refuse", "a collection that may embed")
		case to.Sel.Name == "Delete" && seen["Delete"] > 0 && len(call.Args) == 4:
			assert.True(t, isNil(call.Args[1]) && isNil(call.Args[2]), "a deletion with a filter")
		}
		return true
	})
	assert.Equal(t, map[string]int{"NewDB": 1, "CreateCollection": 1, "AddDocument": 1, "Delete": 1, "QueryEmbedding": 1, "GetByID": 1}, seen)
}

func isPackage(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

type noNetwork struct{ t *testing.T }

func (n noNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Error("asked", r.URL)
	return nil, errors.New("no network")
}

// TestNoFilesNoNetwork: with a key for OpenAI in the environment, too, texts go nowhere.
func TestNoFilesNoNetwork(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("OPENAI_API_KEY", "key")
	was := http.DefaultTransport
	http.DefaultTransport = noNetwork{t}
	defer func() { http.DefaultTransport = was }()
	x := chromem.New()
	r := rec("1", 1, 0)
	r.Text = "between us"
	silent := rec("2")
	silent.Text = "between us, too"
	require.NoError(t, x.Put(t.Context(), r, silent))
	assert.Empty(t, find(t, x, memory.Query{Text: "between us"}, 9))
	assert.Equal(t, []string{"1"}, find(t, x, memory.Query{Text: "between us", Vector: []float32{1, 0}}, 9))
	require.NoError(t, x.Delete(t.Context(), group, "1", "2"))
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestPutWhileOthersDelete: a document that is deleted beside a writer is there or not, and what is known of it agrees.
func TestPutWhileOthersDelete(t *testing.T) {
	x := chromem.New()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 100 {
				id := fmt.Sprint(i % 7)
				if w%2 == 0 {
					assert.NoError(t, x.Put(t.Context(), rec(id, 1, float32(i))))
				} else {
					assert.NoError(t, x.Delete(t.Context(), group, id))
				}
				_, err := x.Search(t.Context(), group, memory.Query{Vector: []float32{1, 1}, Person: []string{"", "x"}[i%2]}, 9)
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	for i := range 7 {
		require.NoError(t, x.Put(t.Context(), rec(fmt.Sprint(i), 1, 0)))
	}
	assert.Len(t, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9), 7)
	for i := range 7 {
		require.NoError(t, x.Delete(t.Context(), group, fmt.Sprint(i)))
	}
	assert.Empty(t, find(t, x, memory.Query{Vector: []float32{1, 0}}, 9))
}
