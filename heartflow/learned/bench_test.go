package learned

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
)

// BenchmarkLearned observes messages of five authors, including the bot, and judges those of the others. It uses
// MentionOnly and the trained weights.
func BenchmarkLearned(b *testing.B) {
	log := talk(1, 512)
	for name, policy := range map[string]heartflow.Policy{"mention": heartflow.MentionOnly{}, "learned": policy(Options{})} {
		b.Run(name, func(b *testing.B) {
			a := must(heartflow.New[int](heartflow.Options{Names: []string{"hearth"}, Policy: policy, Seed: 1}))
			observeAll(a, log)
			now := log[len(log)-1].At
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m := log[i%len(log)]
				now = now.Add(20 * time.Second)
				m.At = now
				a.Observe(now, 1, m)
				if !m.Own {
					a.Judge(now, 1)
				}
			}
		})
	}
}
