package outside

import (
	"flag"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/tmc/langchaingo/llms"
)

// voiceFlags are the flags for the voice messages of the bot.
type voiceFlags struct {
	name   string
	chance float64
}

func (v *voiceFlags) flags(f *flag.FlagSet) {
	f.StringVar(&v.name, "voice", "", "`name` of the voice of -model-for speak=…, as its service calls it; empty: that of the service, which some lack")
	f.Float64Var(&v.chance, "voice-chance", 0, "`share` of its replies to text that it speaks, 0 to 1; it speaks its replies to voice messages in any case")
}

func (v *voiceFlags) check(speaks bool) error {
	switch {
	case !(v.chance >= 0 && v.chance <= 1): // also NaN
		return lang.Errorf("-voice-chance %v 要在 0 到 1 之间", "-voice-chance %v must be 0 to 1", v.chance)
	case speaks:
	case v.name != "":
		return lang.Errorf("-voice 没有用处：要和 -model-for speak=模型的名字 一起写", "-voice does nothing without -model-for speak=NAME")
	case v.chance != 0:
		return lang.Errorf("-voice-chance 没有用处：要和 -model-for speak=模型的名字 一起写", "-voice-chance does nothing without -model-for speak=NAME")
	}
	return nil
}

// isAudio reports whether the models of a purpose have clients for speech.
func isAudio(purpose string) bool {
	return purpose == string(models.PurposeHear) || purpose == string(models.PurposeSpeak)
}

// checkAudio returns an error about a model that cannot have its purpose, or about a key that has no effect there.
func (c candidate) checkAudio(purpose string) error {
	switch {
	case isAudio(purpose) && c.Offline():
		return lang.Errorf("%s 要用真的模型：离线的听不见，也不会出声；写 model: openai", "%s needs a real model: the offline one neither hears nor speaks; write model: openai", purpose)
	case isAudio(purpose) && c.textCalls:
		return lang.Errorf("%s 用不到 text-calls：它不调用工具", "%s: text-calls does nothing, because no tools are called", purpose)
	case purpose == string(models.PurposeSpeak):
	case c.Voice != "":
		return lang.Errorf("%s 用不到 voice：只有 speak 出声", "%s: voice does nothing: only speak has one", purpose)
	case c.audioFormat != "":
		return lang.Errorf("%s 用不到 audio-format：只有 speak 出声", "%s: audio-format does nothing: only speak has one", purpose)
	}
	return nil
}

// audioClient returns the client of a model that hears or speaks.
func (c candidate) audioClient(purpose string) (llms.Model, error) {
	service, key, err := c.service()
	if err != nil {
		return nil, err
	}
	o := models.OpenAIOptions{AudioFormat: c.audioFormat}
	if purpose == string(models.PurposeHear) {
		m, err := models.OpenAITranscriber(service, c.Name, key, o)
		return m, atBaseURL(err)
	}
	m, err := models.OpenAISpeech(service, c.Name, key, c.Voice, o)
	return m, atBaseURL(err)
}

// answerTimes are the times of each model of a list but the last, so that the next one can still answer: within a turn, and
// within the 30 s for voice messages that are heard, and the 20 s for a reply that is spoken.
var answerTimes = map[string]time.Duration{string(models.PurposeHear): 15 * time.Second, string(models.PurposeSpeak): 10 * time.Second}

// UseVoice lets the bot speak, if it has a model for it. It keeps the other options of Reply.Speech. If there are none,
// replies in text are sent whole, without typing.
func (b *Built) UseVoice(o *social.Options) {
	if b.ByPurpose.Speak == nil {
		return
	}
	s := social.Speech{
		Split: speech.SplitOptions{MaxParts: 1, MaxRunes: -1, SplitChance: -1, DropPeriod: -1},
		Pace:  speech.Pace{Han: 1, Other: 1, Max: -1, HurryAfter: -1},
		Long:  social.Long{Runes: -1},
	}
	if o.Reply.Speech != nil {
		s = *o.Reply.Speech
	}
	s.Voice = &social.Voice{Chance: b.voiceChance}
	o.Reply.Speech = &s
}
