package nit

import (
	"crypto/sha256"
	"encoding/json"
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

// newParameters returns the parameters of a schema for validation and one for listing.
func newParameters(checked, listed *jsonschema.Schema) (*parameters, error) {
	args, err := newArguments(checked)
	if err != nil {
		return nil, err
	}
	args.nullIsAbsent = true // encoding/json leaves the field unchanged
	m, text, err := schemaMap(listed)
	if err != nil {
		return nil, err
	}
	more, err := json.Marshal(checked)
	if err != nil {
		return nil, err
	}
	return inUse.share(sha256.Sum256(append(text, more...)), &parameters{args, m}), nil
}

// inUse has the parameters of all tools that exist.
var inUse = sharedParameters{byHash: map[schemaHash]weak.Pointer[parameters]{}}

// A schemaHash identifies a schema.
type schemaHash [sha256.Size]byte

// sharedParameters are parameters by schema. They are forgotten when the last tool that has them is.
type sharedParameters struct {
	mu     sync.Mutex
	byHash map[schemaHash]weak.Pointer[parameters]
}

// share returns the parameters of a schema that exist already, or p.
func (s *sharedParameters) share(hash schemaHash, p *parameters) *parameters {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.byHash[hash].Value(); old != nil {
		return old
	}
	w := weak.Make(p)
	s.byHash[hash] = w
	runtime.AddCleanup(p, func(hash schemaHash) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.byHash[hash] == w { // otherwise it has been replaced
			delete(s.byHash, hash)
		}
	}, hash)
	return p
}
