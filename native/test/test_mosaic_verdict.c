/* The verdict on a run: never good where anything is missing, uncertain or unchecked; advice only where something fails. */
#include "systems/mosaic/verdict.h"

#include "check.h"
#include "refuses.h"

#include <ctype.h>
#include <string.h>

enum { MOST = 40 };

/* A run of frames by letters: a, b, c in panorama 1, 2, 3; capital: uncertain; - missing; ? unchecked. */
typedef struct run {
    endo_mosaic_frame frames[MOST];
    endo_mosaic mosaic;
} run;

static endo_mosaic *run_of(run *r, const char *letters) {
    *r = (run){.mosaic = {.frames = r->frames, .n_frames = (int)strlen(letters), .has_poses = 1, .size = {256, 256}}};
    r->mosaic.options = endo_mosaic_options_default();
    for (int i = 0; letters[i]; i++) {
        int c = letters[i];
        endo_mosaic_frame *f = &r->frames[i];
        f->quality = 0.9;
        f->registered = c != '-';
        f->component = c == '-' ? 0 : c == '?' ? 1 : tolower(c) - 'a' + 1;
        f->doubtful = isupper(c) != 0;
        f->deviation = c == '?' ? NAN : 0;
    }
    return &r->mosaic;
}

static const endo_mosaic_verdict *judged(const endo_mosaic *m, int warned) {
    static endo_mosaic_verdict v;
    CHECK(endo_mosaic_judge(m, warned, &v) == ENDO_OK);
    return &v;
}

static const endo_mosaic_verdict *of(const char *letters) {
    static run r;
    return judged(run_of(&r, letters), 0);
}

static int grade(const char *letters) { return of(letters)->grade; }

static void test_whole_is_good(void) {
    const endo_mosaic_verdict *v = of("aaaa");
    CHECK(v->grade == ENDO_MOSAIC_GOOD && !strcmp(v->word, "good") && !v->next[0] && !v->n_advice);
    CHECK(!strcmp(v->why, "all 4 frames are in one panorama"));
}

static void test_nothing_is_good_that_is_not_whole(void) {
    static const char *const spoilt[] = {"aaa-", "aaaA", "aaab", "aaa?"};
    run r;
    for (int i = 0; i < 4; i++) CHECK(grade(spoilt[i]) == ENDO_MOSAIC_LOOK && of(spoilt[i])->next[0]);
    CHECK(judged(run_of(&r, "aaaa"), 1)->grade == ENDO_MOSAIC_LOOK);
    run_of(&r, "aaaa")->is_full = 1;
    CHECK(judged(&r.mosaic, 0)->grade == ENDO_MOSAIC_LOOK && strstr(judged(&r.mosaic, 0)->next, "raise max_canvas"));
    run_of(&r, "aaaa")->ended = ENDO_CANCELLED;
    CHECK(!strcmp(judged(&r.mosaic, 0)->why, "it was stopped after 4 frames") && judged(&r.mosaic, 0)->grade == ENDO_MOSAIC_LOOK);
    run_of(&r, "aaaa")->ended = ENDO_ERR_DEVICE;
    CHECK(!strcmp(judged(&r.mosaic, 0)->why, "the run failed") && judged(&r.mosaic, 0)->grade == ENDO_MOSAIC_BROKEN);
    CHECK(grade("----") == ENDO_MOSAIC_BROKEN && grade("a") == ENDO_MOSAIC_BROKEN && grade("") == ENDO_MOSAIC_BROKEN);
}

static void test_shares(void) {
    CHECK(grade("aaaaa-----") == ENDO_MOSAIC_LOOK && grade("aaaa------") == ENDO_MOSAIC_BROKEN);
    CHECK(grade("aaaaAAAAAA") == ENDO_MOSAIC_BROKEN);
    CHECK(grade("aabbccdd") == ENDO_MOSAIC_LOOK && grade("aabbccdde") == ENDO_MOSAIC_BROKEN);
}

static void test_words(void) {
    run r;
    CHECK(!strcmp(of("aaAAaaa-a")->why, "2 of 9 frames (frames 3-4) are of uncertain position; 1 of 9 frames (frame 8) is missing"));
    CHECK(!strcmp(of("aaAAaaa-a")->next, "compare the panorama with these frames"));
    CHECK(!strcmp(of("aaAAaaa-a")->word, "look at these") && !strcmp(of("----")->word, "broken"));
    CHECK(!strcmp(of("-a-a-a-a-a-a-aa")->why, "7 of 15 frames (frame 1, frame 3, frame 5, frame 7 and 3 more) are missing"));
    CHECK(!strcmp(of("a-a-a-aaa-")->why, "4 of 10 frames (frame 2, frame 4, frame 6, frame 10) are missing"));
    CHECK(!strcmp(of("aaabb")->why, "the frames make 2 panoramas, the largest of 3 frames"));
    CHECK(strstr(of("??")->next, "solve=Global"));
    run_of(&r, "aaaa")->events.warnings = 1;
    CHECK(!strcmp(judged(&r.mosaic, 0)->why, "there is a warning"));
    CHECK(!strcmp(judged(&r.mosaic, 1)->why, "there are 2 warnings"));
}

static const char *next_of(run *r, endo_frame_status first, endo_frame_status second) {
    r->frames[0].status = first;
    r->frames[1].status = second;
    return judged(&r->mosaic, 0)->next;
}

/* The next step that a verdict names for missing frames depends on their status: skipped, blank, or not registered. */
static void test_why_frames_are_missing(void) {
    run r;
    run_of(&r, "--aa");
    CHECK(strstr(next_of(&r, ENDO_FRAME_SKIPPED, ENDO_FRAME_SKIPPED), "why these frames were skipped"));
    CHECK(strstr(next_of(&r, ENDO_FRAME_NO_TEXTURE, ENDO_FRAME_NO_TEXTURE), "if they are black or blank, nothing is lost"));
    CHECK(strstr(next_of(&r, ENDO_FRAME_SKIPPED, ENDO_FRAME_NO_TEXTURE), "what they alone show"));
    CHECK(strstr(next_of(&r, ENDO_FRAME_JUMP, ENDO_FRAME_NO_TEXTURE), "what they alone show"));
    run_of(&r, "--");
    CHECK(strstr(next_of(&r, ENDO_FRAME_NO_TEXTURE, ENDO_FRAME_NO_TEXTURE), "the right frames: they are black or blank"));
    CHECK(strstr(next_of(&r, ENDO_FRAME_JUMP, ENDO_FRAME_NO_TEXTURE), "follow each other and overlap"));
}

/* ---------------------------------------------------------------------- advice */

static void test_advice_is_for_what_fails(void) {
    run r;
    run_of(&r, "aaa-")->options.pairs.transform = ENDO_TRANSFORM_RIGID;
    CHECK(judged(&r.mosaic, 0)->n_advice == 1 && strstr(judged(&r.mosaic, 0)->advice[0], "with warp=Rigid alone. Take warp=Auto"));
    r.mosaic.options.pairs.transform = ENDO_TRANSFORM_TRANSLATION;
    r.mosaic.options.pairs.method = ENDO_METHOD_PAPER;
    CHECK(judged(&r.mosaic, 0)->n_advice == 2 && strstr(judged(&r.mosaic, 0)->advice[1], "method=Best"));
    r.frames[3].registered = 1;
    r.frames[3].component = 1;
    CHECK(judged(&r.mosaic, 0)->n_advice == 0);
    r.frames[3].component = 2;
    CHECK(judged(&r.mosaic, 0)->n_advice == 2);
    run_of(&r, "aaa-")->options.pairs.transform = ENDO_TRANSFORM_SIMILARITY;
    CHECK(judged(&r.mosaic, 0)->n_advice == 0);
}

static void test_poor_match_of_large_frames_is_of_noise(void) {
    run r;
    run_of(&r, "aa-");
    r.frames[0].quality = 0.98;
    r.frames[1].quality = 0.0;
    CHECK(judged(&r.mosaic, 0)->n_advice == 1 && strstr(judged(&r.mosaic, 0)->advice[0], "half as large"));
    r.frames[1].quality = 0.02;
    CHECK(judged(&r.mosaic, 0)->n_advice == 0);
    run_of(&r, "---");
    CHECK(judged(&r.mosaic, 0)->n_advice == 1);
    r.mosaic.size.height = 255;
    CHECK(judged(&r.mosaic, 0)->n_advice == 0);
}

/* Warnings of a lens and of a tilted plane are advice, also where every frame is placed. */
static void test_warnings_that_name_an_option_are_advice(void) {
    run r;
    run_of(&r, "aaa-")->options.pairs.transform = ENDO_TRANSFORM_RIGID;
    r.mosaic.options.pairs.method = ENDO_METHOD_PAPER;
    for (int kind = 0; kind <= ENDO_EVENT_RELIEF; kind++) {
        events_say(&r.mosaic.events, ENDO_EVENT_WARNING, (endo_event_kind)kind, -1, -1, "warning %d", kind);
        events_say(&r.mosaic.events, ENDO_EVENT_LOST, (endo_event_kind)kind, -1, -1, "lost %d", kind);
    }
    const endo_mosaic_verdict *v = judged(&r.mosaic, 0);
    CHECK(v->n_advice == ENDO_VERDICT_ADVICE && !strcmp(v->advice[0], "Warning 10.") && !strcmp(v->advice[1], "Warning 11."));
    CHECK(strstr(v->advice[2], "warp=Rigid") && strstr(v->why, "there are 17 warnings"));
    events_free(&r.mosaic.events);
}

static void test_refusals(void) {
    run r;
    endo_mosaic_verdict v;
    run_of(&r, "aa");
    REFUSES(endo_mosaic_judge(NULL, 0, &v), "NULL");
    REFUSES(endo_mosaic_judge(&r.mosaic, 0, NULL), "NULL");
    REFUSES(endo_mosaic_judge(&r.mosaic, -1, &v), "warned -1: must be 0 or more");
    r.mosaic.has_poses = 0;
    REFUSES(endo_mosaic_judge(&r.mosaic, 0, &v), "no poses");
}

int main(void) {
    test_whole_is_good();
    test_nothing_is_good_that_is_not_whole();
    test_shares();
    test_words();
    test_why_frames_are_missing();
    test_advice_is_for_what_fails();
    test_poor_match_of_large_frames_is_of_noise();
    test_warnings_that_name_an_option_are_advice();
    test_refusals();
    return check_summary("test_mosaic_verdict");
}
