package qq

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
)

type deleteIn struct {
	Message nit.ID `json:"message_id" jsonschema:"消息的 id"`
}

func (k *toolkit) deleteMessage() (nit.Tool, error) {
	return nit.Define("qq_delete_message", nit.L1, "撤回一条消息：自己发的，或在自己管理的群里别人发的。", k.recallMessage, agentOnly(nit.ResultIntegrity(nit.Trusted), nit.ActsOn(unsayWords, "message_id"))...)
}

func (k *toolkit) recallMessage(ctx context.Context, in deleteIn) (string, error) {
	id, err := messageID(in.Message)
	if err != nil {
		return "", err
	}
	p, _ := nit.PrincipalFrom(ctx)
	chat, _ := principalChat(p)
	if err := k.actor.Recall(ctx, chat, id); err != nil {
		return "", failure("没有撤回，可能过了时间或没有权限", "不知道撤回没有", err)
	}
	return "已撤回", nil
}

type memberIn struct {
	Group nit.ID `json:"group_id,omitempty" jsonschema:"群号或群名；留空就是当前的群"`
	User  nit.ID `json:"user_id" jsonschema:"QQ号，或成员的群名片、昵称、备注"`
}

// onMember returns the options of tools that act on a group member.
func onMember(words []string) []nit.Option {
	return []nit.Option{nit.ResultIntegrity(nit.Trusted), nit.ActsOn(words, "group_id", "user_id")}
}

// member resolves the group and the member of a call.
func (k *toolkit) member(ctx context.Context, in memberIn) (group, user string, err error) {
	if group, err = k.resolveGroup(ctx, in.Group); err == nil {
		user, err = k.resolveMember(ctx, group, in.User)
	}
	return group, user, err
}

// reportAction reports an action by ids.
func reportAction(what, in, who string, err error) (string, error) {
	if err != nil {
		return "", failure("没有做成，可能没有权限，或者这个人不在群里", "不知道做成没有，先查一下", err)
	}
	return fmt.Sprintf("已在 %v %s %v", groupChat(in).SourceID(), what, userChat(who).SourceID()), nil
}

type kickIn struct {
	memberIn
	Refuse bool `json:"reject_add_request,omitempty" jsonschema:"是否不再接受这个人的加群申请"`
}

func (k *toolkit) kick() (nit.Tool, error) {
	return nit.Define("qq_group_kick", nit.L1, "把一个成员移出群。先确认主人要移出的是谁。", k.kickMember, agentOnly(onMember(kickWords)...)...)
}

func (k *toolkit) kickMember(ctx context.Context, in kickIn) (string, error) {
	group, user, err := k.member(ctx, in.memberIn)
	if err != nil {
		return "", err
	}
	return reportAction("移出", group, user, k.actor.Kick(ctx, group, user, in.Refuse))
}

type banIn struct {
	memberIn
	Seconds *int64 `json:"duration,omitempty" jsonschema:"多少秒；0 是解除禁言"`
}

const (
	defaultMute = 30 * 60        // seconds, the default of OneBot
	maxMute     = 30 * 24 * 3600 // seconds, the maximum of QQ
)

func (k *toolkit) ban() (nit.Tool, error) {
	return nit.Define("qq_group_ban", nit.L1, "禁言群里的一个成员一段时间，或解除禁言。", k.muteMember,
		agentOnly(append(onMember(banWords), nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["duration"].Minimum, s.Properties["duration"].Maximum = new(0.0), new(float64(maxMute))
			s.Properties["duration"].Default = json.RawMessage(strconv.Itoa(defaultMute))
		}))...)...)
}

func (k *toolkit) muteMember(ctx context.Context, in banIn) (string, error) {
	group, user, err := k.member(ctx, in.memberIn)
	if err != nil {
		return "", err
	}
	seconds := int64(defaultMute)
	if in.Seconds != nil {
		seconds = *in.Seconds
	}
	what := fmt.Sprintf("禁言 %d 秒：", seconds)
	if seconds == 0 {
		what = "解除禁言："
	}
	return reportAction(what, group, user, k.actor.Mute(ctx, group, user, time.Duration(seconds)*time.Second))
}

type cardIn struct {
	memberIn
	Card string `json:"card" jsonschema:"新的群名片；空的就是去掉"`
}

func (k *toolkit) card() (nit.Tool, error) {
	return nit.Define("qq_group_card", nit.L1, "改一个成员的群名片。", k.setCard,
		agentOnly(append(onMember(cardWords), nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["card"].MaxLength = new(60)
		}))...)...)
}

func (k *toolkit) setCard(ctx context.Context, in cardIn) (string, error) {
	group, user, err := k.member(ctx, in.memberIn)
	if err != nil {
		return "", err
	}
	return reportAction("改了群名片：", group, user, k.actor.SetCard(ctx, group, user, line(in.Card, 60)))
}
