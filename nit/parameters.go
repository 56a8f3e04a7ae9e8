package nit

import (
	"crypto/sha256"
	"encoding/json"
	"reflect"
	"runtime"
	"sync"
	"weak"

	"github.com/google/jsonschema-go/jsonschema"
)

// parameters are the schema of a tool in the forms that calls need. They do not change. Tools of the same schema share them, because
// a process may have thousands of bots with the same tools.
type parameters struct {
	args   *arguments
	listed map[string]any // schema as models see it
}

// parametersOf returns the parameters of a tool whose arguments are an In.
func parametersOf[In any](edits []func(*jsonschema.Schema)) (*parameters, error) {
	checked, err := infer[In](edits)
	if err != nil {
		return nil, err
	}
	if err := walk(checked, func(*jsonschema.Schema) error { return nil }); err != nil { // a cycle has no JSON
		return nil, err
	}
	text, err := json.Marshal(checked)
	if err != nil {
		return nil, err
	}
	id := schemaID{reflect.TypeFor[In](), sha256.Sum256(text)}
	if p := inUse.find(id); p != nil {
		return p, nil
	}
	args, err := newArguments(checked)
	if err != nil {
		return nil, err
	}
	args.nullIsAbsent = true // encoding/json leaves the field unchanged
	listed, err := inferListed[In](edits)
	if err != nil {
		return nil, err
	}
	m, err := schemaMap(listed)
	if err != nil {
		return nil, err
	}
	return inUse.add(id, &parameters{args, m}), nil
}

// inUse has the parameters of all tools made by [Define] that exist.
var inUse = sharedParameters{byID: map[schemaID]weak.Pointer[parameters]{}}

// A schemaID identifies a schema that was inferred and edited.
type schemaID struct {
	of   reflect.Type
	hash [sha256.Size]byte // of the result
}

// sharedParameters are parameters by schema. They are forgotten when the last tool that has them is.
type sharedParameters struct {
	mu   sync.Mutex
	byID map[schemaID]weak.Pointer[parameters]
}

// find returns the parameters of a schema, or nil.
func (s *sharedParameters) find(id schemaID) *parameters {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id].Value()
}

// add adds the parameters of a schema, and returns those that are there already if another goroutine was faster.
func (s *sharedParameters) add(id schemaID, p *parameters) *parameters {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.byID[id].Value(); old != nil {
		return old
	}
	w := weak.Make(p)
	s.byID[id] = w
	runtime.AddCleanup(p, func(id schemaID) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.byID[id] == w { // otherwise it has been replaced
			delete(s.byID, id)
		}
	}, id)
	return p
}
