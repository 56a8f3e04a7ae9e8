package onebot

import "time"

// Guilds (频道) have their own accounts and ids. These ids are strings and unrelated to QQ numbers. Guild events are
// extensions of go-cqhttp.

// Guild holds the common fields of guild events.
type Guild struct {
	GuildID    string `json:"guild_id"`
	ChannelID  string `json:"channel_id"`
	SelfTinyID string `json:"self_tiny_id"` // the bot's id in guilds
}

// A GuildMessage is a message in a guild's channel. (message with message_type guild)
type GuildMessage struct {
	Common
	Guild
	SubType   string  `json:"sub_type"` // "channel"
	MessageID string  `json:"message_id"`
	UserID    string  `json:"user_id"` // author, a tiny_id
	Sender    Sender  `json:"-"`
	Message   Message `json:"-"`
}

// Own reports whether the bot is the author.
func (e *GuildMessage) Own() bool { return e.UserID == e.SelfTinyID && e.UserID != "" }

// A GuildRecall reports a recalled message in a channel. (notice guild_channel_recall)
type GuildRecall struct {
	Common
	Guild
	MessageID  string `json:"message_id"`
	UserID     string `json:"user_id"`
	OperatorID string `json:"operator_id"` // the user who recalled it
}

// A GuildReactions reports all current reactions to a message in a channel. (notice message_reactions_updated)
type GuildReactions struct {
	Common
	Guild
	MessageID  string          `json:"message_id"`
	OperatorID string          `json:"operator_id" alt:"user_id"` // the user who changed them
	Current    []GuildReaction `json:"current_reactions"`
}

// A GuildReaction is one emoji reaction to a message in a channel.
type GuildReaction struct {
	EmojiID    string `json:"emoji_id"`
	EmojiIndex int64  `json:"emoji_index"`
	EmojiType  int64  `json:"emoji_type"`
	EmojiName  string `json:"emoji_name"`
	Count      int64  `json:"count"`
	Clicked    bool   `json:"clicked"` // by the bot
}

// A GuildChannel reports a created, changed or deleted channel. (notices channel_created, channel_updated,
// channel_destroyed)
type GuildChannel struct {
	Common
	Guild
	Kind       string       `json:"notice_type"`
	UserID     string       `json:"user_id"`
	OperatorID string       `json:"operator_id"`
	Channel    *ChannelInfo `json:"channel_info" alt:"new_info"` // the current channel, or the deleted one
	Old        *ChannelInfo `json:"old_info"`                    // the channel before a change; otherwise nil
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

// guildNotice returns nil for kinds without a type.
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
