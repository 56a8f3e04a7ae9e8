package onebot

import "time"

// Guilds (频道) have accounts and ids of their own, which are strings and have nothing to do with QQ's numbers. Their
// events are extensions of go-cqhttp.

// Guild is what the events of guilds have in common.
type Guild struct {
	GuildID    string `json:"guild_id"`
	ChannelID  string `json:"channel_id"`
	SelfTinyID string `json:"self_tiny_id"` // who the bot is in guilds
}

// A GuildMessage was said in a channel of a guild. (message with message_type guild)
type GuildMessage struct {
	Common
	Guild
	SubType   string  `json:"sub_type"` // "channel"
	MessageID string  `json:"message_id"`
	UserID    string  `json:"user_id"` // who said it: a tiny_id
	Sender    Sender  `json:"-"`
	Message   Message `json:"-"`
}

// Own tells whether the bot itself said it.
func (e *GuildMessage) Own() bool { return e.UserID == e.SelfTinyID && e.UserID != "" }

// A GuildRecall tells that a message in a channel was taken back. (notice guild_channel_recall)
type GuildRecall struct {
	Common
	Guild
	MessageID  string `json:"message_id"`
	UserID     string `json:"user_id"`
	OperatorID string `json:"operator_id"` // who took it back
}

// A GuildReactions tells which emojis a message in a channel has now. (notice message_reactions_updated)
type GuildReactions struct {
	Common
	Guild
	MessageID  string          `json:"message_id"`
	OperatorID string          `json:"operator_id" alt:"user_id"` // who changed them
	Current    []GuildReaction `json:"current_reactions"`
}

// A GuildReaction is one emoji at a message in a channel.
type GuildReaction struct {
	EmojiID    string `json:"emoji_id"`
	EmojiIndex int64  `json:"emoji_index"`
	EmojiType  int64  `json:"emoji_type"`
	EmojiName  string `json:"emoji_name"`
	Count      int64  `json:"count"`
	Clicked    bool   `json:"clicked"` // by the bot
}

// A GuildChannel tells that a channel was made, changed or removed. (notices channel_created, channel_updated,
// channel_destroyed)
type GuildChannel struct {
	Common
	Guild
	Kind       string       `json:"notice_type"`
	UserID     string       `json:"user_id"`
	OperatorID string       `json:"operator_id"`
	Channel    *ChannelInfo `json:"channel_info" alt:"new_info"` // as it is now, or was when it was removed
	Old        *ChannelInfo `json:"old_info"`                    // as it was before it was changed; else nil
}

// ChannelInfo is a channel of a guild.
type ChannelInfo struct {
	GuildID   string    `json:"owner_guild_id"`
	ChannelID string    `json:"channel_id"`
	Type      int64     `json:"channel_type"` // 1 text, 2 voice, 5 live, 7 topics
	Name      string    `json:"channel_name"`
	Created   time.Time `json:"create_time"`
	CreatorID string    `json:"creator_tiny_id" alt:"creator_id"`
}

// guildNotice is nil for kinds that have no type.
func (f *frame) guildNotice(c Common) Event {
	switch f.kinds[ofNotice] {
	case "guild_channel_recall":
		return filled(f, &GuildRecall{Common: c})
	case "message_reactions_updated":
		return filled(f, &GuildReactions{Common: c})
	case "channel_created", "channel_updated", "channel_destroyed":
		return filled(f, &GuildChannel{Common: c})
	}
	return nil
}

func (f *frame) guildMessage(c Common) Event {
	return filled(f, &GuildMessage{Common: c, Sender: f.sender, Message: f.segments()})
}
