package social

import (
	_ "embed"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/internal/texts"
)

// ReasonText returns c as a text for people, like [hfc.Text]. It also knows the reasons that only a [Bot] has, such as a timer. lang
// beginning with "zh" means Chinese, any other English.
func ReasonText(c heartflow.Code, lang string) string {
	if t := reasonText(string(c), lang); t != string(c) {
		return t
	}
	return hfc.Text(c, lang)
}

//go:embed reasons.txt
var reasonFile string

var reasonText = texts.Of(reasonFile)
