package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordedParts is a recording in which people send more than text.
func recordedParts() string {
	var b strings.Builder
	line := func(second int, event string) {
		at := 1709380800 + second
		fmt.Fprintf(&b, `{"received":"2024-03-02T12:%02d:%02dZ","event":{"time":%d,"self_id":20001,%s}}`+"\n", second/60, second%60, at, event)
	}
	message := func(second, id int, who, segments string) {
		line(second, fmt.Sprintf(`"post_type":"message","message_type":"group","sub_type":"normal","message_id":%d,"group_id":1,"group_name":"群","user_id":%d,"sender":{"nickname":%q},"message":[%s]`, id, 100+len(who), who, segments))
	}
	notice := func(second int, fields string) { line(second, `"post_type":"notice","group_id":1,`+fields) }
	message(0, 1, "小满", `{"type":"text","data":{"text":"早"}}`)
	message(1, 2, "小满", `{"type":"record","data":{"file":"a.amr"}}`)
	message(2, 3, "阿", `{"type":"json","data":{"data":"{\"app\":\"com.tencent.miniapp_01\",\"prompt\":\"[QQ小程序]小炉的天气\",\"meta\":{\"detail_1\":{\"title\":\"天气\",\"desc\":\"小炉的天气\"}}}"}}`)
	message(3, 4, "阿", `{"type":"file","data":{"file":"小炉.txt","file_id":"/x","file_size":"1200"}}`)
	message(4, 5, "阿", `{"type":"forward","data":{"id":"7"}}`)
	notice(100, `"notice_type":"notify","sub_type":"poke","user_id":106,"target_id":20001`)
	notice(200, `"notice_type":"notify","sub_type":"poke","user_id":106,"target_id":20001`)
	notice(201, `"notice_type":"group_msg_emoji_like","user_id":103,"message_id":1,"likes":[{"emoji_id":"76","count":1}],"is_add":true`)
	notice(202, `"notice_type":"group_increase","sub_type":"approve","user_id":999,"operator_id":1`)
	return b.String()
}

// A log shows messages as people read them. A name in a card or in a file calls nobody, and a poke calls the bot once in ten
// minutes.
func TestRun_Parts(t *testing.T) {
	out, err := runReplay(t, recordedParts(), "-policy", "mention", "-name", "小炉", "-")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 3, out)
	assert.Contains(t, lines[0], "silent: nobody called me | 阿: [forwarded chat]")
	assert.Contains(t, lines[1], "speak: somebody @ed me | 小满 poked 小炉")
	assert.Contains(t, lines[2], "5 messages, 2 batches: spoke 1")

	page := filepath.Join(t.TempDir(), "page.html")
	_, err = runReplay(t, recordedParts(), "-lang", "zh", "-policy", "mention", "-name", "小炉", "-html", page, "-")
	require.NoError(t, err)
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, text := range []string{"[语音]", "[文件 小炉.txt 1.2 kB]", "[小程序：", "[聊天记录]"} {
		assert.Contains(t, string(html), `<bdi class="text">`+text)
	}
	for _, text := range []string{"戳了戳 小炉", "给「小满: 早」回应了 赞", "加入了群"} {
		assert.Contains(t, string(html), `<bdi class="text soft">`+text)
	}
}
