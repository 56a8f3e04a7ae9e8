package outside

import (
	"flag"
	"os"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
)

// Social contains the flags for reports to the owner and for the tools of QQ.
type Social struct {
	Enabled bool // the plugin with the tools of QQ is loaded at the start

	names, watched, images string
	watch                  self.WatchOptions
}

// Flags defines the flags.
func (s *Social) Flags(f *flag.FlagSet) {
	f.StringVar(&s.names, "owner-names", "", "`names` of the owner, separated by commas: a question for one of them is reported to the owner")
	f.StringVar(&s.watched, "watch", "", "QQ `numbers` of people, separated by commas: it is reported to the owner when one of them begins to talk")
	f.StringVar(&s.images, "images", "", "`folder` of pictures that it may send by a tool; empty: none")
	f.BoolVar(&s.Enabled, "enable-social-mode", true, "load the tools of QQ; without them it still answers messages")
}

// Check validates the flags.
func (s *Social) Check() (err error) {
	s.watch.Names = program.List(s.names)
	if s.watch.Watched, err = Accounts("watch", s.watched); err != nil {
		return err
	}
	_, err = self.NewWatch(s.watch)
	return err
}

// Watch returns the messages that deserve a report to these owners. Call it after Check.
func (s *Social) Watch(owners []persona.Account) *self.WatchOptions {
	w := s.watch
	w.Owners = owners
	return &w
}

// Images opens the folder of pictures. It is nil without one. The second result closes it.
func (s *Social) Images() (*os.Root, func(), error) {
	if s.images == "" {
		return nil, func() {}, nil
	}
	root, err := os.OpenRoot(s.images)
	if err != nil {
		return nil, nil, lang.Errorf("-images 打不开：%v", "-images: %v", err)
	}
	return root, func() { root.Close() }, nil
}
