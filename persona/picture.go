package persona

import (
	"encoding/base64"
)

// A Picture is an image of a message. The link sets URL. Later code downloads Data or sets Text from a vision model. A
// Picture with neither Data nor Text is not added to the context, but the text of the message still mentions it.
type Picture struct {
	URL         string // temporary address on the platform; untrusted
	Data        []byte // the image itself; sent next to the context (see Pictures of prompt.Scene)
	Type        string // media type of Data, such as "image/png"
	Description string // the image in words; untrusted like the text of the message
}

// DataURL returns Data as a data: URL. Use it for models that do not accept raw bytes.
func (p Picture) DataURL() string {
	return "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}
