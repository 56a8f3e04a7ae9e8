package telemetry

import (
	"sync"

	"go.opentelemetry.io/otel/attribute"
)

// maxLabels is the largest number of values of an attribute of metrics. The names of models, tools and reasons come from options and
// models, and each value costs memory here and in the store of the metrics.
const maxLabels = 100

// labels limits the values of attributes of metrics. The zero value is ready to use.
type labels struct {
	mu   sync.Mutex
	seen map[attribute.KeyValue]attribute.KeyValue
	n    map[attribute.Key]int
}

// of returns the attribute with a value, or with "_OTHER" if it has maxLabels others already.
func (l *labels) of(key attribute.Key, value string) attribute.KeyValue {
	a := key.String(value)
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.seen[a]; ok {
		return known
	}
	if l.n[key] >= maxLabels {
		return key.String(other)
	}
	if l.seen == nil {
		l.seen, l.n = map[attribute.KeyValue]attribute.KeyValue{}, map[attribute.Key]int{}
	}
	l.seen[a] = a
	l.n[key]++
	return a
}
