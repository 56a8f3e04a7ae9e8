package onebot

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Known refusals of all implementations, by class.
func TestAPIError_Classes(t *testing.T) {
	type refusal struct {
		code    int
		wording string
	}
	for _, k := range []struct {
		class    error
		refusals []refusal
	}{
		{ErrBadParams, []refusal{
			{1400, ""}, // the standard and NapCat, LLOneBot over WebSocket
			{400, ""},  // NapCat, LLOneBot over HTTP; the HTTP status of the standard
			{1400, "json解析失败,请检查数据格式"}, // NapCat
			{406, ""}, // the HTTP status of the standard for a content type
		}},
		{ErrUnknownAction, []refusal{
			{1404, "不支持的API x"},            // NapCat over WebSocket
			{1404, ""},                     // the standard, LLOneBot over WebSocket
			{404, "x API 不存在"},             // LLOneBot over HTTP
			{404, "API_NOT_FOUND: API不存在"}, // go-cqhttp
			{404, ""},                      // Lagrange
			{200, "不支持的Api x"},             // NapCat over HTTP
		}},
		{ErrAuth, []refusal{
			{1403, "token验证失败"},          // NapCat, LLOneBot over WebSocket
			{1401, ""},                   // the standard over WebSocket
			{401, ""},                    // the standard, go-cqhttp: no token
			{403, "token verify failed"}, // NapCat, LLOneBot over HTTP; go-cqhttp, Lagrange: a wrong token
		}},
		{ErrFailed, []refusal{
			{1200, "消息不存在"},                 // NapCat, LLOneBot over WebSocket
			{200, "消息不存在"},                  // NapCat, LLOneBot over HTTP
			{200, ""},                       // Lagrange
			{100, "GROUP_NOT_FOUND: 群聊不存在"}, // go-cqhttp
			{100, "NOT_MANAGEABLE: 机器人权限不足"},
			{100, "SEND_MSG_API_ERROR: empty message"}, {100, "EMPTY_MSG_ERROR: 消息为空"},
			{102, ""}, {103, ""}, {104, ""}, {201, ""}, // CQHTTP, adopted by the standard
			{-1, ""}, {-34, ""}, // 酷Q
			{34, ""}, {0, ""}, {429, ""}, {302, ""},
		}},
	} {
		for _, r := range k.refusals {
			is(t, &APIError{Action: "send_group_msg", Code: r.code, Wording: r.wording}, k.class)
		}
	}
	for _, r := range []refusal{
		{1200, "Timeout: NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg ListenerName:…"}, // NapCat under risk control
		{200, "Timeout: NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg"},
		{100, "SEND_MSG_API_ERROR: 请参考 go-cqhttp 端输出"},
		{100, "SEND_MSG_API_ERROR: send group message failed: blocked by server"},
		{100, "send group message failed: recv packet timed out after 15000 ms"}, // SnowLuma
		{100, "send private message failed: no response"},
		{100, "failed to decode SendMessageResponse"},
		{500, ""}, {502, ""}, {503, ""}, {504, ""},
	} {
		for _, action := range []string{"send_group_msg", "send_private_msg", "send_msg", "send_group_forward_msg", "_send_group_notice", "group_poke",
			"upload_group_file", "forward_friend_single_msg", "send_like", "comment_qzone", ".handle_quick_operation"} {
			is(t, &APIError{Action: action, Code: r.code, Wording: r.wording}, ErrFailed, ErrUnclear)
		}
		for _, action := range []string{"get_msg", "delete_msg", "set_group_ban", "upload_file_stream", "upload_forward_msg", "get_group_list", "like_qzone"} {
			is(t, &APIError{Action: action, Code: r.code, Wording: r.wording}, ErrFailed)
		}
	}
	is(t, &AuthError{Status: 101, Code: 1403}, ErrAuth)
	assert.EqualError(t, &AuthError{Status: 403}, "onebot: token rejected (HTTP status 403, retcode 0)")
}
