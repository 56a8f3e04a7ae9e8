package persona

import (
	"encoding/base64"
)

// A Picture is an image of a message. The link sets URL and Label. Later code downloads Data, or sets Description from a
// vision model.
type Picture struct {
	Label       string // its kind in words: "动画表情"; "" means "图片"
	URL         string // temporary address on the platform; untrusted; "" if unknown
	Data        []byte // the image itself; sent next to the context (see Pictures of prompt.Scene)
	Type        string // media type of Data, such as "image/png"
	Description string // the image in words; untrusted like the text of the message
}

// DataURL returns Data as a data: URL. Use it for models that do not accept raw bytes.
func (p Picture) DataURL() string {
	return "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}
