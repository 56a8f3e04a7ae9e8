package onebot

import (
	"context"
	"time"
)

// SendLike likes somebody's profile (send_like), up to ten times a day; times 0 is 1.
func (b *Bot) SendLike(ctx context.Context, userID int64, times int) error {
	return b.Call(ctx, "send_like", params{"user_id": userID, "times": max(times, 1)}, nil)
}

// GetCookies gives the cookies for a domain such as "qun.qq.com" (get_cookies); "" leaves the domain to the
// implementation. They are secrets: never log them.
func (b *Bot) GetCookies(ctx context.Context, domain string) (string, error) {
	c, err := get[Credentials](ctx, b, "get_cookies", params{"domain": domain})
	return c.Cookies, err
}

// GetCSRFToken gives the token that QQ's web pages want beside the cookies (get_csrf_token).
func (b *Bot) GetCSRFToken(ctx context.Context) (int64, error) {
	c, err := get[Credentials](ctx, b, "get_csrf_token", nil)
	return c.CSRFToken, err
}

// GetCredentials gives cookies and token at once (get_credentials); domain as in [Bot.GetCookies].
func (b *Bot) GetCredentials(ctx context.Context, domain string) (Credentials, error) {
	return get[Credentials](ctx, b, "get_credentials", params{"domain": domain})
}

// CanSendImage tells whether pictures can be sent (can_send_image).
func (b *Bot) CanSendImage(ctx context.Context) (bool, error) {
	return b.can(ctx, "can_send_image")
}

// CanSendRecord tells whether voice messages can be sent (can_send_record).
func (b *Bot) CanSendRecord(ctx context.Context) (bool, error) {
	return b.can(ctx, "can_send_record")
}

func (b *Bot) can(ctx context.Context, action string) (bool, error) {
	can, err := get[struct {
		Yes bool `json:"yes"`
	}](ctx, b, action, nil)
	return can.Yes, err
}

// SetRestart restarts the implementation (set_restart) after a delay, which most of them ignore. The link drops.
func (b *Bot) SetRestart(ctx context.Context, delay time.Duration) error {
	return b.Call(ctx, "set_restart", params{"delay": delay.Milliseconds()}, nil)
}

// CleanCache removes files that the implementation keeps (clean_cache). NapCat removes QQ's own pictures and files
// with them.
func (b *Bot) CleanCache(ctx context.Context) error {
	return b.Call(ctx, "clean_cache", nil, nil)
}

// Profile is what the bot shows of itself.
type Profile struct {
	Nickname     string // required
	PersonalNote string // 个性签名; "" keeps it as it is where the implementation can
	Company      string // go-cqhttp only, as are the next two
	Email        string
	College      string
	Sex          int // NapCat: 1 male, 2 female; 0 keeps it
}

// SetQQProfile changes what the bot shows of itself (set_qq_profile). An extension.
func (b *Bot) SetQQProfile(ctx context.Context, p Profile) error {
	q := params{"nickname": p.Nickname}
	and(q, "personal_note", p.PersonalNote)
	and(q, "company", p.Company)
	and(q, "email", p.Email)
	and(q, "college", p.College)
	and(q, "sex", p.Sex)
	return b.Call(ctx, "set_qq_profile", q, nil)
}

// SetQQAvatar changes the bot's own picture (set_qq_avatar); file as in [Image]. An extension.
func (b *Bot) SetQQAvatar(ctx context.Context, file string) error {
	return b.Call(ctx, "set_qq_avatar", params{"file": file}, nil)
}

// SetOnlineStatus changes how the bot is seen (set_online_status): status 10 online, 30 away, 50 busy, 70 do not
// disturb, 40 invisible; with status 10, ext chooses such as 1028 (listening) and 1000 (battery, in percent). An
// extension of NapCat and LLBot.
func (b *Bot) SetOnlineStatus(ctx context.Context, status, ext, battery int) error {
	return b.Call(ctx, "set_online_status", params{"status": status, "ext_status": ext, "battery_status": battery}, nil)
}

// SetInputStatus shows a friend that the bot is typing (set_input_status): event 0 speaking, 1 typing. An extension
// of NapCat and LLBot.
func (b *Bot) SetInputStatus(ctx context.Context, userID int64, event int) error {
	return b.Call(ctx, "set_input_status", params{"user_id": userID, "event_type": event}, nil)
}

// GetRKey gives the keys that open URLs of pictures and files (get_rkey). An extension.
func (b *Bot) GetRKey(ctx context.Context) ([]RKey, error) {
	return get[rkeys](ctx, b, "get_rkey", nil)
}

// GetRobotUINRange gives the ranges of ids that belong to QQ's own bots (get_robot_uin_range). An extension of NapCat
// and LLBot.
func (b *Bot) GetRobotUINRange(ctx context.Context) ([]UINRange, error) {
	return get[[]UINRange](ctx, b, "get_robot_uin_range", nil)
}

// GetGuildList lists the guilds that the bot is in (get_guild_list). An extension; only go-cqhttp knew any.
func (b *Bot) GetGuildList(ctx context.Context) ([]GuildInfo, error) {
	return get[[]GuildInfo](ctx, b, "get_guild_list", nil)
}
