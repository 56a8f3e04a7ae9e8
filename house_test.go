package hearth_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/hearth-bot/hearth"

// A goPackage has the fields of go list's output that these tests use.
type goPackage struct {
	ImportPath string
	Name       string
	Standard   bool
	Deps       []string
	Module     *struct{ Path string }
}

func list(t *testing.T, args ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Name,Standard,Deps,Module"}, args...)...)
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

// TestImports checks that some packages of the module do not depend on others, directly or through further packages. The six
// root packages do not depend on each other. Packages for all platforms do not depend on a package for one platform. The
// trained weights of heartflow/learned are linked only if a program imports them.
func TestImports(t *testing.T) {
	roots := []string{"onebot", "buffer", "heartflow", "memory", "nit", "persona"}
	forbidden := map[string][]string{"persona/social": {"onebot", "nit/qq"}, "nit/qq": {"onebot"}}
	for _, root := range roots {
		forbidden[root] = slices.DeleteFunc(slices.Clone(roots), func(other string) bool { return other == root })
	}
	for _, name := range []string{"heartflow", "heartflow/hfc", "persona/social"} {
		forbidden[name] = append(forbidden[name], "heartflow/learned")
	}
	for name, others := range forbidden {
		p := list(t, "./"+name)
		require.Len(t, p, 1)
		for _, other := range others {
			assert.NotContains(t, p[0].Deps, module+"/"+other, "%s depends on %s", name, other)
		}
	}
	assert.Contains(t, list(t, "./persona/social/onebotlink")[0].Deps, module+"/onebot", "go list reports the dependencies")
}

// TestLinkedModules checks that each package links only the third-party modules listed for it.
func TestLinkedModules(t *testing.T) {
	const (
		websocket = "github.com/coder/websocket"
		llms      = "github.com/tmc/langchaingo"
		chromem   = "github.com/philippgille/chromem-go"
		schema    = "github.com/google/jsonschema-go"
		sqlite    = "modernc.org/sqlite"
		mcp       = "github.com/modelcontextprotocol/go-sdk"
		testify   = "github.com/stretchr/testify"
		sync      = "golang.org/x/sync"
		sys       = "golang.org/x/sys"
		cron      = "github.com/robfig/cron/v3"
		pgx       = "github.com/jackc/pgx/v5"
	)
	// Modules that the listed modules link themselves.
	indirect := map[string][]string{
		llms:    {"github.com/dlclark/regexp2", "github.com/google/uuid", "github.com/pkoukk/tiktoken-go"},
		sqlite:  {"github.com/dustin/go-humanize", "github.com/mattn/go-isatty", "github.com/ncruces/go-strftime", "github.com/remyoudompheng/bigfft", "golang.org/x/sys", "modernc.org/libc", "modernc.org/mathutil", "modernc.org/memory", "github.com/google/uuid"},
		mcp:     {"github.com/segmentio/asm", "github.com/segmentio/encoding", "github.com/yosida95/uritemplate/v3", "golang.org/x/oauth2", "golang.org/x/time", "golang.org/x/sync", "golang.org/x/sys"},
		testify: {"go.yaml.in/yaml/v3"},
		pgx:     {"github.com/jackc/pgpassfile", "github.com/jackc/pgservicefile", "github.com/jackc/puddle/v2", "golang.org/x/sync", "golang.org/x/text"},
	}
	may := map[string][]string{
		"":                                {},
		"internal/archive":                {},
		"internal/clip":                   {},
		"internal/dedupe":                 {},
		"internal/modeljson":              {},
		"internal/fetch":                  {},
		"internal/fold":                   {},
		"internal/freeport":               {},
		"internal/keyed":                  {},
		"internal/latency":                {},
		"internal/lookback":               {},
		"internal/loop":                   {},
		"internal/mutate":                 {},
		"internal/pipenet":                {},
		"internal/replay":                 {},
		"internal/texts":                  {},
		"internal/whentospeak":            {},
		"buffer":                          {},
		"heartflow":                       {},
		"heartflow/internal/enum":         {},
		"heartflow/internal/pcg":          {},
		"heartflow/internal/script":       {testify},
		"heartflow/internal/tick":         {},
		"heartflow/learned":               {},
		"heartflow/feedback":              {},
		"heartflow/hfc":                   {},
		"onebot":                          {websocket},
		"onebot/history":                  {websocket},
		"onebot/onebottest":               {websocket},
		"onebot/internal/lenient":         {},
		"onebot/remote":                   {websocket},
		"onebot/napcat":                   {websocket, sys},
		"onebot/napcat/internal/gen":      {},
		"memory":                          {llms},
		"memory/chromem":                  {llms, chromem},
		"memory/facts":                    {llms},
		"memory/facts/internal/statement": {},
		"memory/expressions":              {llms},
		"memory/flat":                     {llms, sys},
		"memory/sqlite":                   {llms, sqlite},
		"memory/postgres":                 {llms, pgx},
		"memory/postgres/owner":           {llms, pgx},
		"memory/internal/best":            {},
		"memory/internal/chatter":         {llms},
		"memory/internal/groupchat":       {llms},
		"memory/internal/groupslang":      {llms},
		"memory/internal/vectors":         {llms},
		"memory/internal/storage":         {llms},
		"memory/memorytest":               {llms, testify},
		"memory/vectorstore":              {llms},
		"memory/patch":                    {},
		"memory/redact":                   {},
		"memory/when":                     {},
		"nit":                             {llms, schema},
		"nit/internal/described":          {llms, schema},
		"nit/internal/escape":             {},
		"nit/internal/plugintest":         {llms, schema, testify},
		"nit/internal/unseen":             {},
		"nit/mcp":                         {llms, schema, mcp},
		"nit/qq":                          {llms, schema, cron},
		"nit/recall":                      {llms, schema},
		"nit/self":                        {llms, schema, cron},
		"nit/script":                      {llms, schema},
		"persona":                         {},
		"persona/internal/enum":           {},
		"persona/internal/plain":          {},
		"persona/internal/statetest":      {testify},
		"internal/browsertest":            {},
		"internal/pgserver":               {pgx},
		"internal/pgtest":                 {pgx},
		"persona/jobs":                    {},
		"persona/prompt":                  {llms, cron},
		"persona/relay":                   {},
		"persona/relay/relaytest":         {testify},
		"persona/schedule":                {cron},
		"persona/activity":                {},
		"persona/models":                  {llms, cron},
		"persona/modeltest":               {llms},
		"persona/social":                  {llms, schema, websocket, sync, cron},
		"persona/social/inspect":          {llms, schema, websocket, sync, cron},
		"persona/social/onebotlink":       {llms, schema, websocket, sync, cron},
		"persona/social/preset":           {llms, schema, websocket, sync, cron},
		"persona/speech":                  {},
		"persona/trace":                   {llms, cron},
		"heartflow/internal/fill":         {},

		"heartflow/learned/internal/synthetic": {},
		"heartflow/learned/internal/train":     {},
		"internal/whentospeak/baseline":        {},

		"persona/social/qqbotlink":           {llms, schema, websocket, sync, cron},
		"persona/social/qqbotlink/qqbot":     {websocket},
		"persona/social/qqbotlink/qqbottest": {websocket},
	}
	packages := list(t, "-deps", "./...")
	moduleOf := map[string]string{} // by package
	for _, p := range packages {
		if !p.Standard && p.Module != nil {
			moduleOf[p.ImportPath] = p.Module.Path
		}
	}
	for _, p := range packages {
		if moduleOf[p.ImportPath] != module || strings.HasPrefix(p.ImportPath, module+"/examples/") {
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if strings.HasPrefix(name, "persona/social/internal/") {
			name = "persona/social"
		}
		allowed, known := may[name]
		if !assert.True(t, known, "add the modules that %s may link", p.ImportPath) {
			continue
		}
		for _, d := range p.Deps {
			from, thirdParty := moduleOf[d]
			if !thirdParty || from == module || slices.Contains(allowed, from) {
				continue
			}
			ok := slices.ContainsFunc(allowed, func(a string) bool { return slices.Contains(indirect[a], from) })
			assert.True(t, ok, "%s links %s of %s", p.ImportPath, d, from)
		}
	}
}

// TestModules checks that .ci/run tests each module below this one. Their packages are not in ./..., so that a program links what
// they require only if it requires the module.
func TestModules(t *testing.T) {
	modules := []string{}
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if dir := filepath.ToSlash(filepath.Dir(name)); d.Name() == "go.mod" && dir != "." {
			modules = append(modules, dir)
		}
		return err
	}))
	assert.Equal(t, []string{"memory/vectorstore/internal/pgvector", "telemetry"}, modules)
	script, err := os.ReadFile(".ci/run")
	require.NoError(t, err)
	for _, dir := range modules {
		assert.Contains(t, string(script), "\n  cd "+dir+"\n", "a step of .ci/run")
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		require.NoError(t, err)
		assert.Contains(t, string(mod), "module "+module+"/"+dir+"\n")
		assert.Contains(t, string(mod), "replace "+module+" => ../")
	}
}

const (
	maxFields  = 30
	maxMethods = 60
)

// largeTypes may have more than maxFields fields or maxMethods methods.
var largeTypes = map[string]struct {
	fields, methods int
	why             string
}{
	"memory/redact.scanner":    {methods: 95, why: "one method for each pattern, all over one text"},
	"onebot.Bot":               {methods: 128, why: "one method for each action of the protocol"},
	"onebot.frame":             {fields: 41, why: "a frame of the protocol"},
	"onebot/napcat.Bot":        {methods: 83, why: "one method for each action of the protocol"},
	"onebot/onebottest.Server": {fields: 31, methods: 193, why: "a test double of the whole protocol"},

	"persona/social.Bot":          {methods: 75, why: "one method for each thing that a host may ask of a bot"},
	"persona/social/inspect.page": {methods: 100, why: "templates call the methods of their data"},

	"persona/social/qqbotlink/qqbottest.Server": {methods: 80, why: "a test double of the whole platform"},
}

// TestTypeSizes checks that no struct type has more than maxFields fields and no type has more than maxMethods methods. An
// embedded struct counts as one field. Test files are ignored.
func TestTypeSizes(t *testing.T) {
	sizes := typeSizes(t)
	for name, size := range sizes {
		may := largeTypes[name]
		if may.fields = max(may.fields, maxFields); size.fields > may.fields {
			t.Errorf("%s has %d fields, at most %d: group related fields in a struct", name, size.fields, may.fields)
		}
		if may.methods = max(may.methods, maxMethods); size.methods > may.methods {
			t.Errorf("%s has %d methods, at most %d: move methods that use the same fields to a type of their own", name, size.methods, may.methods)
		}
	}
	for name, may := range largeTypes {
		size := sizes[name]
		assert.True(t, size.fields > maxFields || size.methods > maxMethods, "%s needs no exception", name)
		assert.NotEmpty(t, may.why, name)
	}
}

type typeSize struct{ fields, methods int }

// typeSizes counts the fields and methods of all package-level types of the module.
func typeSizes(t *testing.T) map[string]typeSize {
	sizes := map[string]typeSize{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		within := filepath.ToSlash(filepath.Dir(path)) + "."
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					name := within + receiver(d.Recv.List[0].Type)
					size := sizes[name]
					size.methods++
					sizes[name] = size
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						size := sizes[within+s.Name.Name]
						size.fields = fields(s.Type)
						sizes[within+s.Name.Name] = size
					}
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(sizes), 500)
	return sizes
}

// receiver returns the name of the type of a method's receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// fields counts the fields of a struct. An embedded field counts as one.
func fields(e ast.Expr) (n int) {
	s, ok := e.(*ast.StructType)
	if !ok {
		return 0
	}
	for _, f := range s.Fields.List {
		n += max(len(f.Names), 1)
	}
	return n
}
