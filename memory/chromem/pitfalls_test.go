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

// Pitfalls of chromem-go v0.7.0, and the tests that this package avoids them:
//
//	files corrupted by a kill             TestIndex_CallsOnlySafeFunctions, TestIndex_NoFilesNoNetwork
//	files named by 32 bits of a hash      TestIndex_HashCollision
//	Delete with an empty filter           TestIndex_CallsOnlySafeFunctions, memorytest Delete
//	missing metadata equals ""            memorytest Filters: no filter of chromem-go is used
//	metadata and vectors are shared       memorytest Copies
//	lengths are not checked               TestPut_AllOrNone
//	zero vectors, NaN                     TestPut_AllOrNone, TestSearch_WithoutVector, TestPut_ExtremeVectors
//	k larger than the collection          memorytest LargeK, Empty
//	ties in random order                  memorytest Ties, TestSearch_EqualsNaive
//	files are older than memory           TestIndex_CallsOnlySafeFunctions, TestPut_DuringDelete
//	export during writes panics           TestIndex_CallsOnlySafeFunctions
//	re-creating empties a collection      memorytest Race: all create the same space at once
//	negative queries                      TestIndex_CallsOnlySafeFunctions
//	races of GetCollection and Delete     TestIndex_CallsOnlySafeFunctions; all of these under -race
//	a waiting writer blocks all readers   TestIndex_SpacesAreIndependent
//	only given vectors are normalized     TestPut_ExtremeVectors: this package normalizes all
//	the default embedder is OpenAI's      TestIndex_CallsOnlySafeFunctions, TestIndex_NoFilesNoNetwork

// TestIndex_CallsOnlySafeFunctions reads the source: it calls only these functions of chromem-go, and none with a
// filter.
func TestIndex_CallsOnlySafeFunctions(t *testing.T) {
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
			assert.True(t, ok && id.Name == "noEmbedder", "a collection that may embed")
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

// TestIndex_NoFilesNoNetwork: no text leaves the process, even with an OpenAI key in the environment.
func TestIndex_NoFilesNoNetwork(t *testing.T) {
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

// TestPut_DuringDelete: after a Delete during a Put, the document and its fields are consistent.
func TestPut_DuringDelete(t *testing.T) {
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
