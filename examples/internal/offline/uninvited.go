package offline

import (
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// partnerLines is the number of messages after the bot's own one in which its partner may continue the talk, and pause the
// number of messages between two texts about its interests.
const (
	partnerLines = 6
	pause        = 3
)

// uninvited returns a text for a message that does not address the bot, and the reason: the last partner continues the
// talk, or the topic is one of the bot's interests. It returns "" for silence, with the reason.
func (s scene) uninvited() (say, why string) {
	l := s.targetMessage()
	if l.own || l.text == "" {
		return "", "没有新的话"
	}
	topic := s.interestIn(l.text)
	partner, since := s.partner()
	switch {
	case l.from == partner && since <= partnerLines && (topic != "" || containsAny(l.text, "你")):
		return l.sender + "，接着你说的「" + clip.Ellipsis(l.text, 16) + "」，我也这么想。", "刚和" + l.sender + "聊着，接一句"
	case topic != "" && s.sinceInterest() > pause:
		return "你们在聊" + topic + "？我也喜欢，「" + clip.Ellipsis(l.text, 16) + "」说得对。", "在聊" + topic + "，我感兴趣"
	case topic != "":
		return "", "刚说过" + topic + "，先听大家说"
	}
	return "", "没有人叫我，也没聊到我感兴趣的"
}

// interestIn returns the first interest that a text mentions.
func (s scene) interestIn(text string) string {
	i := slices.IndexFunc(s.interests, func(topic string) bool { return strings.Contains(text, topic) })
	if i < 0 {
		return ""
	}
	return s.interests[i]
}

// partner returns who wrote to the bot before its last message, and the number of messages since then. Without such a
// message the number is high.
func (s scene) partner() (id string, since int) {
	lines := s.messages()
	for i, l := range slices.Backward(lines) {
		if !l.own {
			continue
		}
		for _, before := range slices.Backward(lines[:i]) {
			if !before.own {
				return before.from, len(lines) - 1 - i
			}
		}
		return "", len(lines) - 1 - i
	}
	return "", 1 << 20
}

// messages returns the messages of the chat, without memories.
func (s scene) messages() (lines []line) {
	for _, l := range append(slices.Clone(s.past), s.recent...) {
		if l.id != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// sinceInterest returns the number of messages since the bot last spoke about one of its interests. Without such a message the
// number is high.
func (s scene) sinceInterest() int {
	lines := s.messages()
	for i, l := range slices.Backward(lines) {
		if l.own && s.interestIn(l.text) != "" {
			return len(lines) - 1 - i
		}
	}
	return 1 << 20
}

// bored reports whether the bot may end a focus, and has already once found nothing to say.
func (s scene) bored() bool {
	return s.mayLeave && len(s.deeds) > 0 && s.deeds[len(s.deeds)-1] == "no_reply"
}
