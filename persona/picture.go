package persona

import (
	"encoding/base64"
)

// A Picture is one of a message. Whoever brings the message tells its URL; whoever looks at it fills in Data or Text.
// A Picture that has neither is not in a context: the message's text says that it is there.
type Picture struct {
	URL         string // where the platform keeps it, for a time; of strangers, so to be fetched with care
	Data        []byte // the picture itself: it stands beside the context ([Scene.Pictures]), which names it by a number
	Type        string // media type of Data, such as "image/png"
	Description string // what it shows, in words: data, as the message's own text is
}

// DataURL gives Data as a data: URL, for models that take no bytes.
func (p Picture) DataURL() string {
	return "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}
