package onebot

import (
	"context"
	"time"
)

// SendLike likes a user's profile (send_like), up to ten times a day. times 0 means 1.
func (b *Bot) SendLike(ctx context.Context, userID int64, times int) error {
	return b.Call(ctx, "send_like", params{"user_id": userID, "times": max(times, 1)}, nil)
}

// GetCookies returns the cookies for a domain such as "qun.qq.com" (get_cookies). "" lets the implementation choose
// the domain. Cookies are secrets: never log them.
func (b *Bot) GetCookies(ctx context.Context, domain string) (string, error) {
	c, err := get[Credentials](ctx, b, "get_cookies", params{"domain": domain})
	return c.Cookies, err
}

// GetCSRFToken returns the CSRF token that QQ's web pages require in addition to the cookies (get_csrf_token).
func (b *Bot) GetCSRFToken(ctx context.Context) (int64, error) {
	c, err := get[Credentials](ctx, b, "get_csrf_token", nil)
	return c.CSRFToken, err
}

// GetCredentials returns cookies and CSRF token in one call (get_credentials); domain as in [Bot.GetCookies].
func (b *Bot) GetCredentials(ctx context.Context, domain string) (Credentials, error) {
	return get[Credentials](ctx, b, "get_credentials", params{"domain": domain})
}

// CanSendImage reports whether the bot can send pictures (can_send_image, member yes).
func (b *Bot) CanSendImage(ctx context.Context) (bool, error) {
	return b.can(ctx, "can_send_image")
}

// CanSendRecord reports whether the bot can send voice messages (can_send_record, member yes).
func (b *Bot) CanSendRecord(ctx context.Context) (bool, error) {
	return b.can(ctx, "can_send_record")
}

func (b *Bot) can(ctx context.Context, action string) (bool, error) {
	can, err := get[struct {
		Yes bool `json:"yes"`
	}](ctx, b, action, nil)
	return can.Yes, err
}

// SetRestart restarts the implementation (set_restart) after a delay. Most implementations ignore the delay. The link
// drops.
func (b *Bot) SetRestart(ctx context.Context, delay time.Duration) error {
	return b.Call(ctx, "set_restart", params{"delay": delay.Milliseconds()}, nil)
}

// CleanCache deletes the implementation's cached files (clean_cache). NapCat also deletes QQ's own pictures and
// files.
func (b *Bot) CleanCache(ctx context.Context) error {
	return b.Call(ctx, "clean_cache", nil, nil)
}

// Profile is the bot's own profile.
type Profile struct {
	Nickname     string // required
	PersonalNote string // 个性签名; "" keeps the old one if the implementation can
	Company      string // go-cqhttp only, like the next two
	Email        string
	College      string
	Sex          int // NapCat: 1 male, 2 female; 0 keeps the old one
}

// SetQQProfile changes the bot's own profile (set_qq_profile). An extension.
func (b *Bot) SetQQProfile(ctx context.Context, p Profile) error {
	q := params{"nickname": p.Nickname}
	withParam(q, "personal_note", p.PersonalNote)
	withParam(q, "company", p.Company)
	withParam(q, "email", p.Email)
	withParam(q, "college", p.College)
	withParam(q, "sex", p.Sex)
	return b.Call(ctx, "set_qq_profile", q, nil)
}

// SetQQAvatar changes the bot's avatar (set_qq_avatar); file as in [Image]. An extension.
func (b *Bot) SetQQAvatar(ctx context.Context, file string) error {
	return b.Call(ctx, "set_qq_avatar", params{"file": file}, nil)
}

// SetOnlineStatus sets the online status (set_online_status): 10 online, 30 away, 50 busy, 70 do not disturb, 40
// invisible. With status 10, ext selects an extended status, such as 1028 (listening to music) or 1000 (battery
// level, with battery in percent). An extension of NapCat and LLBot.
func (b *Bot) SetOnlineStatus(ctx context.Context, status, ext, battery int) error {
	return b.Call(ctx, "set_online_status", params{"status": status, "ext_status": ext, "battery_status": battery}, nil)
}

// SetInputStatus shows a friend that the bot is typing (set_input_status). event is 0 for speaking, 1 for typing. An
// extension of NapCat and LLBot.
func (b *Bot) SetInputStatus(ctx context.Context, userID int64, event int) error {
	return b.Call(ctx, "set_input_status", params{"user_id": userID, "event_type": event}, nil)
}

// GetRKey returns the keys for URLs of pictures and files (get_rkey). An extension.
func (b *Bot) GetRKey(ctx context.Context) ([]RKey, error) {
	return get[rkeys](ctx, b, "get_rkey", nil)
}

// GetRobotUINRange returns the id ranges of QQ's official bots (get_robot_uin_range). An extension of NapCat and
// LLBot.
func (b *Bot) GetRobotUINRange(ctx context.Context) ([]UINRange, error) {
	return get[[]UINRange](ctx, b, "get_robot_uin_range", nil)
}

// GetGuildList lists the guilds of the bot (get_guild_list). An extension; only go-cqhttp supported it.
func (b *Bot) GetGuildList(ctx context.Context) ([]GuildInfo, error) {
	return get[[]GuildInfo](ctx, b, "get_guild_list", nil)
}
