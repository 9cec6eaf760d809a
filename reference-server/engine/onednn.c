#include "engine/onednn.h"

#include "base/search.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* OpenMP's functions; not every compiler has their header. */
int omp_get_max_threads(void);
void omp_set_num_threads(int count);

static dnnl_engine_t engine;
static int threads;
static pthread_once_t engine_once = PTHREAD_ONCE_INIT;

static void make_engine(void)
{
    threads = omp_get_max_threads();
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success)
        engine = NULL;
}

dnnl_engine_t onednn_engine(void)
{
    pthread_once(&engine_once, make_engine);
    return engine;
}

int onednn_use_threads(bool all)
{
    pthread_once(&engine_once, make_engine);
    int count = all ? threads : 1;
    omp_set_num_threads(count);
    return count;
}

static dnnl_status_t move_memories(int count, const dnnl_exec_arg_t *arguments, const size_t *steps)
{
    dnnl_status_t fault = dnnl_success;
    for (int i = 0; i < count && fault == dnnl_success; i++) {
        void *data;
        fault = dnnl_memory_get_data_handle(arguments[i].memory, &data)
                    ?: dnnl_memory_set_data_handle(arguments[i].memory, (char *)data + steps[i]);
    }
    return fault;
}

dnnl_status_t onednn_execute(dnnl_primitive_t primitive, int count, const dnnl_exec_arg_t *arguments, size_t runs,
                             const size_t *steps)
{
    dnnl_stream_t stream;
    dnnl_status_t fault = dnnl_stream_create(&stream, onednn_engine(), dnnl_stream_default_flags);
    if (fault != dnnl_success)
        return fault;
    for (size_t i = 0; i < runs && fault == dnnl_success; i++)
        fault = (i ? move_memories(count, arguments, steps) : dnnl_success)
                    ?: dnnl_primitive_execute(primitive, stream, count, arguments);
    const dnnl_status_t waited = dnnl_stream_wait(stream);
    dnnl_stream_destroy(stream);
    return fault ?: waited;
}

bool numbers_equal(const struct numbers *a, const struct numbers *b)
{
    return a->rank == b->rank && a->in_blocks == b->in_blocks &&
           ALL(i, a->rank, a->shape[i] == b->shape[i] && a->strides[i] == b->strides[i]);
}

/* The tag of a memory that does not lie by strides. */
static dnnl_format_tag_t tag_of(const struct numbers *numbers, bool any)
{
    static const dnnl_format_tag_t blocked[] = {[3] = dnnl_nCw8c, [4] = dnnl_nChw8c, [5] = dnnl_nCdhw8c};
    return any ? dnnl_format_tag_any : numbers->in_blocks ? blocked[numbers->rank] : dnnl_format_tag_undef;
}

#if DNNL_VERSION_MAJOR < 3

dnnl_status_t layout_make(layout **made, const struct numbers *n, bool any)
{
    const dnnl_format_tag_t tag = tag_of(n, any);
    *made = calloc(1, sizeof **made);
    if (!*made)
        return dnnl_out_of_memory;
    return tag ? dnnl_memory_desc_init_by_tag(*made, (int)n->rank, n->shape, dnnl_f32, tag)
               : dnnl_memory_desc_init_by_strides(*made, (int)n->rank, n->shape, dnnl_f32, n->strides);
}

void layout_free(layout *owned)
{
    free(owned);
}

dnnl_status_t layout_copy(layout **copy, const layout *from)
{
    *copy = malloc(sizeof **copy);
    if (!*copy)
        return dnnl_out_of_memory;
    **copy = *from;
    return dnnl_success;
}

dnnl_status_t layout_part(layout **part, const layout *of, const dnnl_dims_t shape, const dnnl_dims_t begin)
{
    *part = calloc(1, sizeof **part);
    return *part ? dnnl_memory_desc_init_submemory(*part, of, shape, begin) : dnnl_out_of_memory;
}

bool layout_is_blocked(const layout *of)
{
    return of->format_kind == dnnl_blocked && of->format_desc.blocking.inner_nblks > 0;
}

#define append_curve(after, ...) dnnl_post_ops_append_eltwise((after), 1, __VA_ARGS__)
#define append_sum(after)        dnnl_post_ops_append_sum((after), 1)

static dnnl_status_t describe(const struct operation *o, layout *const *of, const_dnnl_primitive_attr_t attributes,
                              dnnl_primitive_desc_t *made)
{
    union {
        dnnl_matmul_desc_t matmul;
        dnnl_convolution_desc_t convolution;
        dnnl_softmax_v2_desc_t softmax;
    } described;
    const dnnl_status_t fault =
        o->kind == OPERATION_MATMUL ? dnnl_matmul_desc_init(&described.matmul, of[MEMORY_SOURCE], of[MEMORY_WEIGHTS],
                                                            of[MEMORY_BIAS], of[MEMORY_RESULT])
        : o->kind == OPERATION_CONVOLUTION
            ? dnnl_dilated_convolution_forward_desc_init(
                  &described.convolution, dnnl_forward_inference, dnnl_convolution_auto, of[MEMORY_SOURCE],
                  of[MEMORY_WEIGHTS], of[MEMORY_BIAS], of[MEMORY_RESULT], o->strides, o->dilates, o->begin, o->end)
            : dnnl_softmax_v2_forward_desc_init(&described.softmax, dnnl_forward_inference, o->algorithm,
                                                of[MEMORY_SOURCE], of[MEMORY_RESULT], o->axis);
    return fault ?: dnnl_primitive_desc_create(made, &described, attributes, onednn_engine(), NULL);
}

#else

dnnl_status_t layout_make(layout **made, const struct numbers *n, bool any)
{
    const dnnl_format_tag_t tag = tag_of(n, any);
    return tag ? dnnl_memory_desc_create_with_tag(made, (int)n->rank, n->shape, dnnl_f32, tag)
               : dnnl_memory_desc_create_with_strides(made, (int)n->rank, n->shape, dnnl_f32, n->strides);
}

void layout_free(layout *owned)
{
    if (owned)
        dnnl_memory_desc_destroy(owned);
}

dnnl_status_t layout_copy(layout **copy, const layout *from)
{
    return dnnl_memory_desc_clone(copy, from);
}

dnnl_status_t layout_part(layout **part, const layout *of, const dnnl_dims_t shape, const dnnl_dims_t begin)
{
    return dnnl_memory_desc_create_submemory(part, of, shape, begin);
}

bool layout_is_blocked(const layout *of)
{
    int32_t blocks = 0;
    return dnnl_memory_desc_query(of, dnnl_query_inner_nblks_s32, &blocks) == dnnl_success && blocks > 0;
}

#define append_curve(after, ...) dnnl_post_ops_append_eltwise((after), __VA_ARGS__)
#define append_sum(after)        dnnl_post_ops_append_sum((after), 1, 0, dnnl_data_type_undef)

static dnnl_status_t describe(const struct operation *o, layout *const *of, const_dnnl_primitive_attr_t attributes,
                              dnnl_primitive_desc_t *made)
{
    dnnl_engine_t on = onednn_engine();
    return o->kind == OPERATION_MATMUL
               ? dnnl_matmul_primitive_desc_create(made, on, of[MEMORY_SOURCE], of[MEMORY_WEIGHTS], of[MEMORY_BIAS],
                                                   of[MEMORY_RESULT], attributes)
           : o->kind == OPERATION_CONVOLUTION
               ? dnnl_convolution_forward_primitive_desc_create(
                     made, on, dnnl_forward_inference, dnnl_convolution_auto, of[MEMORY_SOURCE], of[MEMORY_WEIGHTS],
                     of[MEMORY_BIAS], of[MEMORY_RESULT], o->strides, o->dilates, o->begin, o->end, attributes)
               : dnnl_softmax_forward_primitive_desc_create(made, on, dnnl_forward_inference, o->algorithm,
                                                            of[MEMORY_SOURCE], of[MEMORY_RESULT], o->axis, attributes);
}

#endif

bool onednn_prefers_blocks(void)
{
    const unsigned isa = dnnl_get_effective_cpu_isa();
    return (isa & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2 &&
           (isa & dnnl_cpu_isa_avx512_core) != dnnl_cpu_isa_avx512_core;
}

/* Says what becomes of the result of a matmul or a convolution. */
static dnnl_status_t set_after(dnnl_primitive_attr_t attributes, const struct operation *operation)
{
    const bool scales = operation->kind == OPERATION_MATMUL && operation->scale != 1;
    dnnl_post_ops_t after;
    dnnl_status_t fault = dnnl_post_ops_create(&after);
    if (fault != dnnl_success)
        return fault;
    if (scales)
        fault = append_curve(after, dnnl_eltwise_linear, operation->scale, 0);
    if (operation->adds)
        fault = fault ?: append_sum(after);
    if (operation->after != dnnl_alg_kind_undef)
        fault = fault ?: append_curve(after, operation->after, operation->alpha, operation->beta);
    fault = fault ?: dnnl_primitive_attr_set_post_ops(attributes, after);
    dnnl_post_ops_destroy(after);
    return fault;
}

static dnnl_status_t describe_with_attributes(const struct operation *operation, layout *const *layouts,
                                              dnnl_primitive_desc_t *made)
{
    dnnl_primitive_attr_t attributes;
    dnnl_status_t fault = dnnl_primitive_attr_create(&attributes);
    if (fault != dnnl_success)
        return fault;
    fault = dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
    if (operation->kind != OPERATION_SOFTMAX)
        fault = fault ?: set_after(attributes, operation);
    fault = fault ?: describe(operation, layouts, attributes, made);
    dnnl_primitive_attr_destroy(attributes);
    return fault;
}

dnnl_status_t operation_choose(const struct operation *operation, layout *layouts[PRIMITIVE_MEMORIES], layout **scratch,
                               dnnl_primitive_t *primitive)
{
    static const dnnl_query_t chosen[PRIMITIVE_MEMORIES] = {dnnl_query_src_md, dnnl_query_weights_md,
                                                            dnnl_query_weights_md, dnnl_query_dst_md};
    dnnl_primitive_desc_t described;
    dnnl_status_t fault = describe_with_attributes(operation, layouts, &described);
    if (fault != dnnl_success)
        return fault;
    for (size_t i = 0; i < PRIMITIVE_MEMORIES && fault == dnnl_success; i++)
        if (layouts[i]) {
            layout_free(layouts[i]);
            layouts[i] = NULL;
            fault = layout_copy(&layouts[i], dnnl_primitive_desc_query_md(described, chosen[i], i == MEMORY_BIAS));
        }
    const layout *needed = dnnl_primitive_desc_query_md(described, dnnl_query_scratchpad_md, 0);
    if (needed && dnnl_memory_desc_get_size(needed))
        fault = fault ?: layout_copy(scratch, needed);
    fault = fault ?: dnnl_primitive_create(primitive, described);
    dnnl_primitive_desc_destroy(described);
    return fault;
}
